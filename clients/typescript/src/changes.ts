// The feed of changes: an iterator that goes on from a cursor, and waits for what is to come.
import { pause, type CallOptions, type Transport } from './transport.ts';

/** What happens to entries and channels (docs/contract.md §9). */
export type ChangeType =
  | 'entry.created'
  | 'entry.updated'
  | 'entry.deleted'
  | 'entry.published'
  | 'entry.unpublished'
  | 'entry.removed'
  | 'channel.created'
  | 'channel.updated'
  | 'channel.deleted'
  | 'channel.removed';

/** Who made a change. A member is null if it does not apply. */
export interface ChangeActor {
  readonly kind: 'master' | 'public' | 'user' | 'operator' | 'service';
  /** The id of the token. */
  readonly token: string | null;
  /** The id of the user whose token it is. */
  readonly user: string | null;
  /** The id of the customer whose session came with the request. */
  readonly customer: string | null;
  /** The name of the person who ran a command. */
  readonly name: string | null;
}

/** A change in one channel. */
export interface EntryChange<Name, Entry> {
  /** Where the feed goes on behind this change: store it, and send it as `after`. */
  readonly cursor: string;
  readonly type: ChangeType;
  readonly at: string;
  readonly channel: Name;
  /** The id of the entry; null: the change is one of the channel itself. */
  readonly id: string | null;
  readonly version: number | null;
  /** Who did it; null: that was not noted yet. Public tokens are not told. */
  readonly actor?: ChangeActor | null;
  /** With `include: 'entry'`: the entry as it is now; null where the caller sees none. */
  readonly entry?: Entry | null;
}

/** What the feed takes. */
export interface ChangeOptions extends CallOptions {
  /** A cursor; `now`: only what is to come. Default: from the oldest change that is kept. */
  readonly after?: string | undefined;
  readonly types?: readonly ChangeType[] | undefined;
  /** Adds each entry as it is now. */
  readonly include?: 'entry' | undefined;
  /** Whether to wait for what is to come, until the signal ends it. False: the iterator ends where the feed does. Default: true. */
  readonly follow?: boolean | undefined;
  /** How many changes one request asks for, 1 to 1,000. Default: 100. */
  readonly pageSize?: number | undefined;
}

/** One page of the feed. */
export interface ChangePage<Change> {
  readonly changes: readonly Change[];
  /** Behind the last change of the page. */
  readonly cursor: string;
  /** Whether further changes are there already. */
  readonly more: boolean;
}

const waitSeconds = 30;
/** An answer without changes that comes sooner was not held, because the service stops, or a proxy does not let it. */
const shortest = 1_000;

/** The feed behind a cursor. Nothing is asked for before it is iterated over. */
export class ChangeFeed<Change> implements AsyncIterable<Change> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #options: ChangeOptions;

  constructor(transport: Transport, path: string, options: ChangeOptions) {
    this.#transport = transport;
    this.#path = path;
    this.#options = options;
  }

  /** One page, which is there at once: the first behind `after`, or behind another cursor. */
  async page({ after = this.#options.after }: { readonly after?: string | undefined } = {}): Promise<
    ChangePage<Change>
  > {
    return this.#fetchPage(after, 0);
  }

  /** @throws {EntrywayError} `cursor_expired`: changes behind the cursor are not kept any more; list all entries, start over */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    const { follow = true, signal } = this.#options;
    let { after } = this.#options;
    for (;;) {
      const begun = performance.now();
      const page = await this.#fetchPage(after, follow ? waitSeconds : 0);
      for (const change of page.changes) {
        yield change;
        signal?.throwIfAborted();
      }
      after = page.cursor;
      if (page.changes.length > 0 || page.more) continue;
      if (!follow) return;
      await pause(Math.max(0, shortest - (performance.now() - begun)), signal);
    }
  }

  async #fetchPage(after: string | undefined, wait: number): Promise<ChangePage<Change>> {
    const { types, include, pageSize, signal } = this.#options;
    const query = { after, types: types?.join(','), include, limit: pageSize?.toString() };
    const headers = wait === 0 ? {} : { Prefer: `wait=${wait}` };
    const { body } = await this.#transport.send(this.#path, { query, headers, held: wait * 1_000, signal });
    return body as ChangePage<Change>;
  }
}
