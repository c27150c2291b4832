// Clients that write for a drill, as good clients do: what got no answer, or 503, is sent again with its Idempotency-Key. They
// remember what they were told.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a write may take with all its attempts. */
const patienceMilliseconds = 120_000;
const pauseMilliseconds = 50;

/**
 * Sends a request.
 * @returns { status, body, isReplayed, isLater }; a status of 0 where no answer came; `isLater`: it says to come again
 */
export async function send(url, token, method, path, body, headers = {}) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isReplayed = response.headers.get('Idempotent-Replayed') === 'true';
    const isLater = response.headers.has('Retry-After');
    return { status: response.status, body: text === '' ? null : JSON.parse(text), isReplayed, isLater };
  } catch (error) {
    if (error.name !== 'TypeError') throw error;
    return { status: 0, body: null, isReplayed: false, isLater: false };
  }
}

/** Writers of one channel: each creates entries, updates them, and deletes every third of its own. */
export class Writers {
  /** What was acknowledged, by the entry's id: the types of its changes, in order. */
  entries = new Map();
  /** When each write was acknowledged that was first sent after `mark()`. */
  firstSince = null;
  acknowledged = 0;
  /** Attempts that got 503, no answer, or the answer that was stored for an earlier attempt. */
  unavailable = 0;
  unanswered = 0;
  replayed = 0;
  #marked = Infinity;
  #isStopping = false;
  #running;

  constructor(url, token, path, count) {
    const target = { url, token, path };
    this.#running = Promise.all(Array.from({ length: count }, () => this.#work(target)));
    // Reported by `stop`.
    this.#running.catch(() => undefined);
  }

  /** Resolves once so many writes more were acknowledged. @throws what went wrong with one of them */
  grown(count) {
    const enough = this.acknowledged + count;
    return this.#until(() => this.acknowledged >= enough);
  }

  /** Resolves once so many attempts more got 503. @throws what went wrong with one of the writes */
  refused(count) {
    const enough = this.unavailable + count;
    return this.#until(() => this.unavailable >= enough);
  }

  /** Resolves once a write was acknowledged that was begun after `mark()`. @throws what went wrong with one of them */
  resumed() {
    return this.#until(() => this.firstSince !== null);
  }

  /** From now on the first write that is begun and acknowledged is looked for: `firstSince` is its time. */
  mark() {
    this.#marked = performance.now();
    this.firstSince = null;
  }

  /** Lets each writer finish its entry. @throws what went wrong with one of them */
  async stop() {
    this.#isStopping = true;
    await this.#running;
  }

  async #until(isSo) {
    const waited = (async () => {
      while (!isSo() && !this.#isStopping) await sleep(5);
    })();
    await Promise.race([waited, this.#running]);
  }

  async #work(target) {
    for (let at = 1; !this.#isStopping; at += 1) {
      const { id } = (await this.#write(target, 'POST', '', { step: 1, filler: 'x'.repeat(200) })).body;
      const told = ['entry.created'];
      this.entries.set(id, told);
      await this.#write(target, 'PATCH', `/${id}`, { step: 2 });
      told.push('entry.updated');
      if (at % 3 !== 0) continue;
      await this.#write(target, 'DELETE', `/${id}`);
      told.push('entry.deleted');
    }
  }

  /** One write, until it is acknowledged. @throws Error at any answer that is neither that nor 503 */
  async #write({ url, token, path }, method, rest, body) {
    const begun = performance.now();
    const headers = { 'Idempotency-Key': randomUUID() };
    while (performance.now() < begun + patienceMilliseconds) {
      const answer = await send(url, token, method, path + rest, body, headers);
      if (answer.status >= 200 && answer.status < 300) {
        this.acknowledged += 1;
        if (answer.isReplayed) this.replayed += 1;
        if (begun > this.#marked) this.firstSince ??= performance.now();
        return answer;
      }
      if (answer.status === 0) this.unanswered += 1;
      else if (answer.status === 503) this.unavailable += 1;
      // 409: an earlier attempt is still under way.
      else if (answer.status !== 409 || !answer.isLater)
        throw new Error(`${method} ${path}${rest}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await sleep(pauseMilliseconds);
    }
    throw new Error(`${method} ${path}${rest} was not acknowledged within ${patienceMilliseconds / 1000} s`);
  }
}

/** Every entry of a channel, by cursor. */
export async function listAll(url, token, path) {
  const entries = [];
  const query = '?per_page=250';
  for (let after = null; ;) {
    const page = await fetch(`${url}${path}${query}${after === null ? '' : `&cursor=${after}`}`, {
      headers: { Authorization: `Bearer ${token}`, Prefer: 'count=none' },
    });
    if (!page.ok) throw new Error(`GET ${path}: ${page.status} ${await page.text()}`);
    entries.push(...(await page.json()));
    after = page.headers.get('X-Next-Cursor');
    if (after === null) return entries;
  }
}

/**
 * What is wrong with the entries that are stored, held against what was acknowledged.
 * @param entries the writers' `entries`
 * @returns the ids of those that are lost, there though they were deleted, unknown to the writers, or not as they were written
 */
export function compareStored(entries, stored) {
  const found = new Map(stored.map((entry) => [entry.id, entry]));
  const wrong = { lost: [], back: [], unknown: [], stale: [] };
  for (const [id, told] of entries) {
    const entry = found.get(id);
    found.delete(id);
    const isDeleted = told.includes('entry.deleted');
    if (entry === undefined) {
      if (!isDeleted) wrong.lost.push(id);
    } else if (isDeleted) wrong.back.push(id);
    else if (entry.step !== told.length) wrong.stale.push(id);
  }
  wrong.unknown.push(...found.keys());
  return wrong;
}
