// A standby that answers reads, and its lag behind the primary: measured by the positions of their logs alone, since
// their clocks may differ, and since the standby of an idle primary must not appear to lag.
import type pg from 'pg';
import type { ReplicaState } from '../../telemetry/gauges.ts';
import { PooledStatements, StatementNames } from '../postgresql/preparedStatements.ts';
import { serverIdentity, type ServerIdentity } from '../postgresql/serverIdentity.ts';
import type { Standby } from '../database.ts';
import type { EntryStatements } from '../statements.ts';
import { pingTimeoutMilliseconds, withTimeout } from '../../base/timeout.ts';
import { lastRecordEnd, parsePosition } from './walPositions.ts';

/** A position of the primary's log before which everything is that was committed before a time (of performance.now). */
interface Sample {
  readonly sampledAt: number;
  readonly position: bigint;
}

/** Creates a pool of connections to the standby. `prepare` receives each new one before its first use. */
type OpenReplicaPool = (prepare: (client: pg.PoolClient) => Promise<void>) => pg.Pool;

export class Replica implements Standby {
  readonly #openPool: OpenReplicaPool;
  readonly #primary: Pick<pg.Pool, 'query'>;
  #pool: pg.Pool;
  #statements: EntryStatements;
  /** The connections in use. */
  readonly #busy = new Set<pg.PoolClient>();
  #samples: Sample[] = [];
  #provenUntil = -Infinity;
  #lastProof = performance.now();
  /** The start time of the standby that the connections lead to. */
  #server: string | null = null;
  #counts = { reads: 0, failures: 0 };

  /**
   * @param primary runs statements on the primary
   * @param openPool creates a pool; whenever the standby is lost, a new one
   */
  constructor(primary: Pick<pg.Pool, 'query'>, openPool: OpenReplicaPool) {
    this.#primary = primary;
    this.#openPool = openPool;
    [this.#pool, this.#statements] = this.#open();
  }

  get provenUntil(): number {
    return this.#provenUntil;
  }

  /** Maximum lag at present, in milliseconds: the age of the proof included. */
  get lag(): number {
    return performance.now() - this.#provenUntil;
  }

  readState(): ReplicaState {
    return { lag: performance.now() - this.#lastProof, ...this.#counts };
  }

  async read<Row>(run: (statements: EntryStatements) => Promise<Row[]>): Promise<Row[]> {
    try {
      const rows = await run(this.#statements);
      this.#counts.reads += 1;
      return rows;
    } catch (error) {
      this.#counts.failures += 1;
      throw error;
    }
  }

  /**
   * Polls the positions of the standby, then of the primary.
   * @param maxAge the maximum age of a useful sample, in milliseconds
   * @throws Error if the standby cannot be used: it is unreachable, does not answer, is no standby, or follows another
   * server
   */
  async measure(maxAge: number): Promise<void> {
    const standby = await this.#readStandby();
    const sampledAt = performance.now();
    const primary = await readFacts<PrimaryFacts>(this.#primary, primaryFacts);
    try {
      this.#prove(checkStandby(standby, primary), { sampledAt, position: findEnd(primary) }, maxAge);
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#provenUntil = -Infinity;
    await this.#end();
  }

  async #readStandby(): Promise<StandbyFacts> {
    try {
      return await readFacts<StandbyFacts>(this.#pool, standbyFacts);
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  /** @throws Error if the standby has what its primary does not have */
  #prove(replayed: bigint, sample: Sample, maxAge: number): void {
    // The standby was polled before the primary: a standby of this primary cannot be ahead.
    if (replayed > sample.position) throw new Error('it has what the primary does not have: it follows another server');
    this.#samples.push(sample);
    for (const { position, sampledAt } of this.#samples) {
      if (position <= replayed) this.#provenUntil = this.#lastProof = Math.max(this.#provenUntil, sampledAt);
    }
    this.#samples = this.#samples.filter(
      ({ position, sampledAt }) => position > replayed && sample.sampledAt - sampledAt <= maxAge,
    );
  }

  #open(): [pg.Pool, EntryStatements] {
    const pool = this.#openPool((client) => this.#prepare(client));
    pool.on('acquire', (client) => this.#busy.add(client));
    pool.on('release', (_error, client) => this.#busy.delete(client));
    pool.on('remove', (client) => this.#busy.delete(client));
    return [pool, new PooledStatements(pool, new StatementNames({ keepsPlans: true }))];
  }

  /** All connections have to lead to one server, so that a measurement on one of them applies to the others. */
  async #prepare(client: pg.PoolClient): Promise<void> {
    this.#busy.add(client);
    const { rows } = await client.query<{ started: string }>('SELECT pg_postmaster_start_time()::text AS started');
    const started = rows[0]?.started ?? '';
    if (this.#server === started) return;
    const isAnother = this.#server !== null;
    if (isAnother) this.#abandon();
    this.#server = started;
    if (isAnother) throw new Error('its connections lead to another server, or it was restarted');
  }

  /** Discards the knowledge of the standby, and its connections: statements that wait for it fail at once. */
  #abandon(): void {
    this.#provenUntil = -Infinity;
    this.#samples = [];
    this.#server = null;
    void this.#end();
    [this.#pool, this.#statements] = this.#open();
  }

  async #end(): Promise<void> {
    const ended = this.#pool.end().catch(() => undefined);
    const ending = [...this.#busy].map((client) => client.end().catch(() => undefined));
    this.#busy.clear();
    // A silent server does not confirm the end of a connection.
    await withTimeout(pingTimeoutMilliseconds, Promise.all([ended, ...ending]), () => new Error('silent')).catch(
      () => undefined,
    );
  }
}

interface StandbyFacts extends ServerIdentity {
  readonly isStandby: boolean;
  /** Null if it has replayed nothing. */
  readonly replayed: string | null;
}

interface PrimaryFacts extends ServerIdentity {
  /** The position of the log's next record. */
  readonly next: string;
  readonly segment: number;
  readonly page: number;
}

const standbyFacts = `SELECT ${serverIdentity}, pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn()::text AS "replayed"`;

/** A commit has its record in the log, but with `synchronous_commit = off` it may not be written yet. */
const primaryFacts = `SELECT ${serverIdentity}, pg_current_wal_insert_lsn()::text AS "next",
  pg_size_bytes(current_setting('wal_segment_size'))::float8 AS "segment", current_setting('wal_block_size')::float8 AS "page"`;

async function readFacts<Facts extends pg.QueryResultRow>(pool: Pick<pg.Pool, 'query'>, sql: string): Promise<Facts> {
  const answer = pool.query<Facts>(sql);
  const { rows } = await withTimeout(pingTimeoutMilliseconds, answer, () => new Error('it does not answer'));
  const [facts] = rows;
  if (facts === undefined) throw new Error('it answered without a row');
  return facts;
}

/**
 * @returns the position up to which the standby has replayed @throws Error if it is not a standby, or has other data
 * than the primary
 */
function checkStandby({ isStandby, replayed, ...standby }: StandbyFacts, primary: PrimaryFacts): bigint {
  if (standby.system !== primary.system) throw new Error('it is not a copy of the server in DATABASE_URL');
  if (standby.database !== primary.database) throw new Error('its database is not the one in DATABASE_URL');
  if (!isStandby || replayed === null) throw new Error('it is not a streaming standby');
  return parsePosition(replayed);
}

function findEnd({ next, segment, page }: PrimaryFacts): bigint {
  return lastRecordEnd(parsePosition(next), { segment, page });
}
