// The reads of entries of one request whose caller may be answered by a standby (docs/contract.md §13.7). Everything else of the
// request goes to the primary.
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import type { Replica } from './replica.ts';
import type { Replicas } from './replicas.ts';
import type { EntryStatements } from '../statements.ts';

/** How channels are looked up. */
interface ChannelLookUps {
  channel(siteId: string, id: string): Promise<Channel | null>;
  channelNow(siteId: string, id: string): Promise<Channel | null>;
}

export class ReplicaReads implements EntryStatements {
  readonly #replicas: Replicas;
  readonly #primary: EntryStatements;
  readonly #site: string;
  /** When this process first saw what decides what the caller sees; null: no channel was looked up yet. */
  #seenAt: number | null = null;
  readonly #tokenSeenAt: number;
  /** The standby that answers this request; null: none does any more. */
  #replica: Replica | null | undefined;

  /**
   * @param primary runs the statements that no standby runs
   * @param token the id of the caller's token
   */
  constructor(replicas: Replicas, primary: EntryStatements, site: string, token: string) {
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
   * Look-ups of channels that note each of them: no standby may answer that has an entry as it was before its channel became
   * what it is. Else what was hidden before a channel was opened would be seen for a moment.
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
      channel: async (...key) => note(await lookUps.channel(...key)),
      channelNow: async (...key) => note(await lookUps.channelNow(...key)),
    };
  }

  async #read<Row>(run: (statements: EntryStatements) => Promise<Row[]>): Promise<Row[]> {
    const replica = this.#choose();
    if (replica !== null) {
      // What goes wrong there may go well on the primary: a standby cancels statements that hold up its recovery.
      const rows = await replica.read(run).catch(() => null);
      if (rows !== null) return rows;
      this.#replica = null;
    }
    this.#replicas.countPrimaryRead();
    return run(this.#primary);
  }

  /** One standby answers all reads of the request, as long as it may. */
  #choose(): Replica | null {
    if (this.#seenAt === null || this.#replica === null) return null;
    this.#replica ??= this.#replicas.choose(this.#site, this.#seenAt);
    if (this.#replica !== null && !this.#replicas.mayUse(this.#replica, this.#site, this.#seenAt)) this.#replica = null;
    return this.#replica;
  }
}
