// Readers of the feed of changes (docs/contract.md §9).
import { expect } from '@jest/globals';
import type { Caller, RestAnswer } from './as.ts';

export interface Change {
  readonly cursor: string;
  readonly type: string;
  readonly at: string;
  readonly channel: string;
  readonly id: string | null;
  readonly version: number | null;
  /** Absent for public tokens. */
  readonly actor?: ChangeActor | null;
}

/** Who made a change. */
export interface ChangeActor {
  readonly kind: 'master' | 'public' | 'user' | 'operator' | 'service';
  readonly token: string | null;
  readonly user: string | null;
  readonly customer: string | null;
  readonly name: string | null;
}

export interface ChangesPage {
  readonly changes: readonly Change[];
  readonly cursor: string;
  readonly more: boolean;
}

/** Reads one page. @param query as `?after=…&limit=…` */
export async function readFeed(caller: Caller, query = ''): Promise<ChangesPage> {
  const answer: RestAnswer<ChangesPage> = await caller.rest('GET', `/changes${query}`);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return answer.body;
}

/** A reader that asks again and again from the last cursor, and keeps what it got. */
export class FeedReader {
  readonly seen: Change[] = [];
  readonly #query: string;
  #cursor: string | null;

  /** @param query what is asked besides, as `&types=…` @param cursor where it begins; null: at the oldest change */
  constructor(query = '', cursor: string | null = null) {
    this.#query = query;
    this.#cursor = cursor;
  }

  /** Reads one page. @returns the page's changes, and whether more follow */
  async poll(caller: Caller, limit = 1_000): Promise<ChangesPage> {
    const after = this.#cursor === null ? '' : `&after=${this.#cursor}`;
    const page = await readFeed(caller, `?limit=${limit}${after}${this.#query}`);
    expect(page.changes.length).toBeLessThanOrEqual(limit);
    this.seen.push(...page.changes);
    this.#cursor = page.cursor;
    return page;
  }

  /** Reads all that there is. @returns what is new */
  async catchUp(caller: Caller): Promise<Change[]> {
    const from = this.seen.length;
    while ((await this.poll(caller)).more);
    return this.seen.slice(from);
  }
}
