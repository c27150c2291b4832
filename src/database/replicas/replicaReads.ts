// The reads of entries of one request that a standby may answer (docs/contract.md §13.7). Everything else of the
// request goes to the primary.
import { andThen, type PromiseOrValue } from '../../base/promiseOrValue.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import type { Standby, Standbys } from '../database.ts';
import type { EntryStatements } from '../statements.ts';

/** Look-ups of channels. */
interface ChannelLookUps {
  channel(siteId: string, id: string): PromiseOrValue<Channel | null>;
  channelNow(siteId: string, id: string): PromiseOrValue<Channel | null>;
}

export class ReplicaReads implements EntryStatements {
  readonly #replicas: Standbys;
  readonly #primary: EntryStatements;
  readonly #site: string;
  /**
   * The time at which this process first saw the newest channel version that decides the caller's access; null before
   * the first look-up.
   */
  #seenAt: number | null = null;
  readonly #tokenSeenAt: number;
  /** The standby that answers this request; undefined before the first read, null if the primary answers the rest. */
  #replica: Standby | null | undefined;

  /**
   * @param primary runs the statements that no standby runs
   * @param token the id of the caller's token
   */
  constructor(replicas: Standbys, primary: EntryStatements, site: string, token: string) {
    this.#replicas = replicas;
    this.#primary = primary;
    this.#site = site;
    this.#tokenSeenAt = replicas.firstSeen(token);
  }

  read<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.#read((statements) => statements.read<Row>(statement));
  }

  readPrepared<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.#read((statements) => statements.readPrepared<Row>(statement));
  }

  write<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.#primary.write(statement);
  }

  /**
   * Wraps look-ups of channels to note their versions. A standby must have replayed past the channel version that was
   * decided on; else entries hidden before would be visible for a moment.
   */
  noting(lookUps: ChannelLookUps): ChannelLookUps {
    const note = (channel: Channel | null): Channel | null => {
      if (channel === null) return null;
      const { uid, version, fieldsVersion, derivedVersion } = channel;
      const firstSeen = this.#replicas.firstSeen([uid, version, fieldsVersion, derivedVersion].join(' '));
      this.#seenAt = Math.max(this.#seenAt ?? this.#tokenSeenAt, firstSeen);
      return channel;
    };
    return {
      channel: (...key) => andThen(lookUps.channel(...key), note),
      channelNow: (...key) => andThen(lookUps.channelNow(...key), note),
    };
  }

  async #read<Row>(run: (statements: EntryStatements) => Promise<Row[]>): Promise<Row[]> {
    const replica = this.#choose();
    if (replica !== null) {
      // A failed read is repeated on the primary: a standby cancels statements that delay its recovery.
      const rows = await replica.read(run).catch(() => null);
      if (rows !== null) return rows;
      this.#replica = null;
    }
    this.#replicas.countPrimaryRead();
    return run(this.#primary);
  }

  /** Chooses the standby for a read: the same for all reads of the request, as long as it may be used. */
  #choose(): Standby | null {
    if (this.#seenAt === null || this.#replica === null) return null;
    this.#replica ??= this.#replicas.choose(this.#site, this.#seenAt);
    if (this.#replica !== null && !this.#replicas.mayUse(this.#replica, this.#site, this.#seenAt)) this.#replica = null;
    return this.#replica;
  }
}
