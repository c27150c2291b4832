// A reader of a site's feed for a drill: it asks from its last cursor, again and again, and remembers all that it is told.
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './writers.mjs';

const pauseMilliseconds = 50;

export class FeedReader {
  /** All changes, in the order in which they came. */
  changes = [];
  cursor;
  /** Requests that got 503, or no answer. */
  failures = 0;
  #url;
  #token;
  #isFinishing = false;
  #running;

  /** @param cursor where it begins: a cursor, or `now` */
  constructor(url, token, cursor) {
    this.#url = url;
    this.#token = token;
    this.cursor = cursor;
    this.#running = this.#read();
    // Reported by `finish`.
    this.#running.catch(() => undefined);
  }

  /** Reads what there is still, and ends. @throws Error at any answer that is neither 200 nor 503 */
  async finish() {
    this.#isFinishing = true;
    await this.#running;
  }

  async #read() {
    for (;;) {
      // The last request is one that was begun after the end of the writing.
      const isLast = this.#isFinishing;
      const headers = isLast ? {} : { Prefer: 'wait=2' };
      const path = `/changes?limit=1000&after=${this.cursor}`;
      const { status, body } = await send(this.#url, this.#token, 'GET', path, undefined, headers);
      if (status === 200) {
        this.changes.push(...body.changes);
        this.cursor = body.cursor;
        if (isLast && body.changes.length === 0 && !body.more) return;
      } else {
        this.failures += 1;
        if (status !== 503 && status !== 0) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
        await sleep(pauseMilliseconds);
      }
    }
  }
}

/**
 * What is wrong with the changes of entries that a reader was told of, held against what writers were told: each has to be
 * there once, and those of one entry in their order.
 * @param entries the writers' `entries`
 * @returns the ids of entries of which a change is missing, comes twice or in another order, or that the writers do not know
 */
export function compareChanges(entries, changes) {
  const told = new Map();
  for (const { id, type } of changes) if (id !== null) told.set(id, [...(told.get(id) ?? []), type]);
  const wrong = { missing: [], doubled: [], disordered: [], unknown: [] };
  for (const [id, expected] of entries) {
    const found = told.get(id) ?? [];
    told.delete(id);
    if (found.join() === expected.join()) continue;
    if (new Set(found).size < found.length) wrong.doubled.push(id);
    else if (expected.some((type) => !found.includes(type))) wrong.missing.push(id);
    else wrong.disordered.push(id);
  }
  wrong.unknown.push(...told.keys());
  return wrong;
}
