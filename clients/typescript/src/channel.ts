// The entries of one channel.
import { ChangeFeed, type ChangeOptions, type EntryChange } from './changes.ts';
import { EntryList, type ListOptions } from './list.ts';
import type { Problem } from './problem.ts';
import type { Answer, CallOptions, Transport, WriteOptions } from './transport.ts';
import type {
  ChannelMap,
  ChannelName,
  IncludePath,
  MemberName,
  Selected,
  Updated,
  Versioned,
  Where,
  WithEmbedded,
} from './types.ts';

/** What a fetch of one entry takes. */
export interface GetOptions<Include extends string, Only extends string> extends CallOptions {
  /** The references to embed: `director`, `director.company`. */
  readonly include?: readonly Include[] | undefined;
  /** The members to return; `id` is always there. */
  readonly only?: readonly Only[] | undefined;
}

/** What a write of an entry that exists takes. */
export interface ChangingOptions extends WriteOptions {
  /** The `_version` that was read: the write fails with `precondition_failed` where the entry has another one by now. */
  readonly ifVersion?: number | undefined;
}

/** What a count takes. */
export interface CountOptions<Filter> extends CallOptions {
  readonly where?: Filter | undefined;
  readonly search?: string | undefined;
}

/** An operation of a bulk request. */
export type BulkOperation<Input, Patch> =
  | { readonly op: 'create'; readonly data: Input; readonly id?: string }
  | { readonly op: 'update'; readonly id: string; readonly data: Patch; readonly ifVersion?: number }
  | { readonly op: 'delete'; readonly id: string; readonly ifVersion?: number };

/** What became of an operation: an entry, nothing (of a deletion), or an error. */
export interface BulkResult<Entry> {
  readonly status: number;
  readonly entry?: Updated<Entry>;
  readonly error?: Problem;
}

/** A channel of a client. */
export class Channel<Channels extends ChannelMap<Channels>, Name extends ChannelName<Channels>> {
  readonly #transport: Transport;
  readonly #path: string;

  /** @param id the id of the channel */
  constructor(transport: Transport, id: Name) {
    this.#transport = transport;
    this.#path = `/channels/${encodeURIComponent(id)}`;
  }

  /** The entries, to be iterated over, or page by page. Nothing is asked for before that. */
  list<
    const Include extends IncludePath<Channels, Name> = never,
    const Only extends MemberName<Channels, Name> = never,
  >(
    options: ListOptions<Channels, Name, Include, Only> = {},
  ): EntryList<Selected<WithEmbedded<Channels, Name, Include>, Only>> {
    return new EntryList(this.#transport, `${this.#path}/entries`, options);
  }

  /**
   * An entry, with its version.
   * @param id its id, short id or slug
   * @throws {EntrywayError} `not_found` where the caller sees no such entry
   */
  async get<
    const Include extends IncludePath<Channels, Name> = never,
    const Only extends MemberName<Channels, Name> = never,
  >(
    id: string,
    { include, only, signal }: GetOptions<Include, Only> = {},
  ): Promise<Versioned<Selected<WithEmbedded<Channels, Name, Include>, Only>>> {
    const query = { include: include?.join(','), only: only?.join(',') };
    const entry = readEntry(await this.#transport.send(this.#entry(id), { query, signal }));
    return entry as Versioned<Selected<WithEmbedded<Channels, Name, Include>, Only>>;
  }

  /**
   * How many entries there are.
   * @returns null where counting stopped at a limit, as it does for public tokens
   */
  async count({ where, search, signal }: CountOptions<Where<Channels, Name>> = {}): Promise<number | null> {
    const query = { where: where && JSON.stringify(where), q: search };
    const { body } = await this.#transport.send(`${this.#path}/entries/count`, { query, signal });
    return (body as { count: number | null }).count;
  }

  /** Creates an entry. @throws {EntrywayError} `validation_failed`, with `errors`; `conflict`; `forbidden` */
  async create(
    input: Channels[Name]['input'],
    options: WriteOptions = {},
  ): Promise<Versioned<Channels[Name]['entry']>> {
    const answer = await this.#transport.send(`${this.#path}/entries`, { ...options, method: 'POST', body: input });
    return readEntry(answer) as Versioned<Channels[Name]['entry']>;
  }

  /**
   * Updates an entry: members that are present are set, null clears, absent ones stay.
   * @param id its id, short id or slug
   * @throws {EntrywayError} `precondition_failed` where the entry has another version than `ifVersion`
   */
  async update(
    id: string,
    patch: Channels[Name]['patch'],
    { ifVersion, ...options }: ChangingOptions = {},
  ): Promise<Updated<Channels[Name]['entry']>> {
    const headers = matchHeader(ifVersion);
    const answer = await this.#transport.send(this.#entry(id), { ...options, method: 'PATCH', body: patch, headers });
    return readEntry(answer) as Updated<Channels[Name]['entry']>;
  }

  /** Deletes an entry. @param id its id, short id or slug */
  async delete(id: string, { ifVersion, ...options }: ChangingOptions = {}): Promise<void> {
    await this.#transport.send(this.#entry(id), { ...options, method: 'DELETE', headers: matchHeader(ifVersion) });
  }

  /**
   * Does up to 500 operations in one request, in their order.
   * @returns what became of each: one that is refused is no error of the call
   */
  async bulk(
    operations: readonly BulkOperation<Channels[Name]['input'], Channels[Name]['patch']>[],
    { atomic = false, ...options }: WriteOptions & { /** All, or none. */ readonly atomic?: boolean } = {},
  ): Promise<BulkResult<Channels[Name]['entry']>[]> {
    const sent = operations.map((operation) => {
      const { ifVersion, ...rest } = { ifVersion: undefined, ...operation };
      return { ...rest, ...(ifVersion !== undefined && { if_match: versionTag(ifVersion) }) };
    });
    const body = { atomic, operations: sent };
    const answer = await this.#transport.send(`${this.#path}/entries/bulk`, { ...options, method: 'POST', body });
    const { results } = answer.body as {
      results: { status: number; entry?: object; etag?: string; error?: Problem }[];
    };
    return results.map(({ entry, etag, ...rest }) => ({
      ...rest,
      ...(entry && { entry: { ...entry, _version: readVersion(etag ?? '') } as Updated<Channels[Name]['entry']> }),
    }));
  }

  /** What happens in the channel: see `Client.changes`. */
  changes(options: ChangeOptions = {}): ChangeFeed<EntryChange<Name, Channels[Name]['entry']>> {
    return new ChangeFeed(this.#transport, `${this.#path}/changes`, options);
  }

  #entry(id: string): string {
    return `${this.#path}/entries/${encodeURIComponent(id)}`;
  }
}

/** An entry of an answer, with its version, which the answer's entity tag begins with. */
function readEntry({ body, headers }: Answer): unknown {
  return { ...(body as object), _version: readVersion(headers.get('ETag') ?? '') };
}

/** The version that an entity tag holds (docs/contract.md §5.10). */
function readVersion(tag: string): number {
  return Number(/^(?:W\/)?"(\d+)\./.exec(tag)?.[1]);
}

/** An entity tag of a version: `If-Match` compares the version alone. */
function versionTag(version: number): string {
  return `"${version}.any"`;
}

function matchHeader(version: number | undefined): Record<string, string> {
  return version === undefined ? {} : { 'If-Match': versionTag(version) };
}
