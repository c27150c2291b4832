// A list of entries: an iterator over all of them, which asks for page after page, or one page at a time.
import type { CallOptions, Transport } from './transport.ts';
import type { IncludePath, MemberName, SortKey, Where } from './types.ts';

/** What a list takes. */
export interface ListOptions<
  Channels,
  Name extends keyof Channels,
  Include extends IncludePath<Channels, Name>,
  Only extends MemberName<Channels, Name>,
> extends CallOptions {
  readonly where?: Where<Channels, Name> | undefined;
  /** Words to search the text fields for. The best match comes first, unless `sort` is given. */
  readonly search?: string | undefined;
  /** The keys to sort by, `-` before those that descend. Default: the newest first. */
  readonly sort?: readonly SortKey<Channels, Name>[] | undefined;
  /** The references to embed: `director`, `director.company`. */
  readonly include?: readonly Include[] | undefined;
  /** The members to return; `id` is always there. */
  readonly only?: readonly Only[] | undefined;
  /** How many entries the iterator gives at most. Default: all. */
  readonly limit?: number | undefined;
  /** How many entries one request asks for, 1 to 250. Default: 30 for a page; the iterator asks for 100. */
  readonly pageSize?: number | undefined;
}

/** One page of a list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next: string | null;
  /** How many entries the list has; null where that was not counted, because there are too many. */
  readonly total: number | null;
}

/** The options of a list, whatever its channel. */
interface AnyListOptions extends CallOptions {
  readonly where?: unknown;
  readonly search?: string | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly pageSize?: number | undefined;
}

const iteratedPage = 100;

/** A list that was not asked for yet. */
export class EntryList<Entry> implements AsyncIterable<Entry> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #options: AnyListOptions;

  constructor(transport: Transport, path: string, options: AnyListOptions) {
    this.#transport = transport;
    this.#path = path;
    this.#options = options;
  }

  /** One page: the first, or the one behind a cursor. */
  async page({ cursor }: { readonly cursor?: string | null | undefined } = {}): Promise<Page<Entry>> {
    return this.#fetchPage(cursor ?? undefined, this.#options.pageSize);
  }

  /** All entries, as an array. */
  async all(): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const entry of this) found.push(entry);
    return found;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Entry, void, undefined> {
    const { limit = Infinity, pageSize = iteratedPage } = this.#options;
    let left = limit;
    let cursor: string | undefined;
    while (left > 0) {
      const { entries, next } = await this.#fetchPage(cursor, Math.min(pageSize, left), 'count=none');
      yield* entries.slice(0, left);
      left -= entries.length;
      if (next === null) return;
      cursor = next;
    }
  }

  async #fetchPage(cursor: string | undefined, size: number | undefined, prefer?: string): Promise<Page<Entry>> {
    const { where, search, sort, include, only, signal } = this.#options;
    const query = {
      where: where === undefined ? undefined : JSON.stringify(where),
      q: search,
      sort: sort?.join(','),
      include: include?.join(','),
      only: only?.join(','),
      per_page: size?.toString(),
      cursor,
    };
    const headers = prefer === undefined ? {} : { Prefer: prefer };
    const answer = await this.#transport.send(this.#path, { query, headers, signal });
    const total = answer.headers.get('X-Total-Count');
    return {
      entries: answer.body as Entry[],
      next: answer.headers.get('X-Next-Cursor'),
      total: total === null ? null : Number(total),
    };
  }
}
