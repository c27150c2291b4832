// The embedded database: PGlite, which is PostgreSQL compiled to WebAssembly, in a thread of this process, with its data in a
// directory; or in memory, for tests. It has one connection, so that all queries queue. Each commit is written to the file before
// it is acknowledged: no commit is lost if the process crashes. PGlite never calls fsync, so that a power failure can
// lose commits.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { PrismaClient, type Prisma } from '../../generated/prisma/client.ts';
import { isTracing, runInStatementSpan } from '../../telemetry/tracing.ts';
import { changeChannel, deliverChange } from '../changeFeed.ts';
import type { ChangeFeed, ChangeListener, LossListener } from '../changeFeed.ts';
import type { PlainDatabase, SqlSession } from '../database.ts';
import { copyStore } from './copies.ts';
import { lockDirectory } from './directoryLock.ts';
import type { DirectoryLock } from './directoryLock.ts';
import { maintain } from '../maintenance.ts';
import { asPglite, PgliteStore, type Connection } from './pgliteStore.ts';
import { statementsBy, type EntryStatements } from '../statements.ts';
import { Poller } from '../../base/poller.ts';
import { pingTimeoutMilliseconds, withTimeout } from '../../base/timeout.ts';
import { traceAdapter } from '../tracedAdapter.ts';

/** An empty store that the build prepares (scripts/build.mjs). It is missing when the source is run directly. */
const preparedStore = new URL('../../pgdata.tar.gz', import.meta.url);

const maintenanceIntervalMilliseconds = 30_000;

/** Maximum age of the last result of a busy database that counts as healthy, in milliseconds. */
const maxSilence = 1_000;

/** In milliseconds. Transactions queue for the one connection: Prisma's default of 2 seconds would refuse them under load. */
const transactionLimits = { maxWait: 30_000, timeout: 30_000 };

/**
 * Opens the embedded database.
 * @param dataDir the directory, which is created if it is missing; absent for a database in memory
 * @param loadDataDir a dump that an in-memory database starts from (for tests)
 * @param inThread whether an in-memory database has a thread of its own, as one in a directory has
 * @throws {DirectoryInUseError} if another process has it open
 * @throws {DirectoryLockError} if the directory cannot be locked at all
 * @throws {IncompleteDirectoryError} if the directory holds an incomplete database
 */
export async function openEmbedded({
  dataDir,
  loadDataDir,
  inThread = false,
}: {
  dataDir?: string;
  loadDataDir?: Blob;
  inThread?: boolean;
} = {}): Promise<PlainDatabase> {
  if (dataDir === undefined) {
    const options = loadDataDir === undefined ? {} : { loadDataDir };
    return new EmbeddedDatabase(await PgliteStore.open(options, inThread), null, null);
  }
  const lock = await lockDirectory(dataDir);
  try {
    return new EmbeddedDatabase(await openStore(dataDir), lock, dataDir);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens the directory's store. A new store is created under another name and then renamed, so that a process that
 * crashes during its first start leaves no incomplete store behind.
 */
async function openStore(dataDir: string): Promise<PgliteStore> {
  const store = join(dataDir, 'pgdata');
  if (!existsSync(store)) {
    const draft = join(dataDir, 'pgdata.new');
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    const prepared = existsSync(preparedStore)
      ? { loadDataDir: new Blob([readFileSync(preparedStore)], { type: 'application/x-gzip' }) }
      : {};
    await (await PgliteStore.open({ dataDir: draft, ...prepared }, true)).close();
    renameSync(draft, store);
  }
  // PGlite would make a new database in such a directory, over the remains of the old one.
  if (!existsSync(join(store, 'PG_VERSION')) && readdirSync(store).length > 0)
    throw new IncompleteDirectoryError(store);
  // relaxedDurability would acknowledge a write before it is in the file.
  return PgliteStore.open({ dataDir: store, relaxedDurability: false }, true);
}

/** The directory has files, but no complete database: a copy or a restore was interrupted. */
export class IncompleteDirectoryError extends Error {
  constructor(store: string) {
    super(
      `${store} is not a whole database (it has no PG_VERSION): restore all of it from a backup, or move it away to start ` +
        'with an empty database.',
    );
    this.name = 'IncompleteDirectoryError';
  }
}

class EmbeddedDatabase implements PlainDatabase {
  readonly kind = 'embedded';
  readonly replicas = null;
  readonly nodes = null;
  readonly prisma: PrismaClient;
  readonly statements: EntryStatements;
  readonly failed: Promise<never>;
  readonly #pglite: PgliteStore;
  readonly #lock: DirectoryLock | null;
  /** Null for a database in memory. */
  readonly #directory: string | null;
  readonly #maintenance: Poller;
  #isOpen = true;

  constructor(pglite: PgliteStore, lock: DirectoryLock | null, directory: string | null) {
    this.#pglite = pglite;
    this.#directory = directory;
    this.failed = pglite.failed;
    this.#lock = lock;
    // PGlite keeps no prepared statements.
    this.statements = statementsBy(<Row>({ text, values }: Prisma.Sql) => {
      const run = async (): Promise<Row[]> => (await pglite.query<Row>(text, values)).rows;
      return isTracing ? runInStatementSpan(text, run, (rows) => rows.length) : run();
    });
    const adapter = traceAdapter(createAdapter(pglite));
    this.prisma = new PrismaClient({ adapter, transactionOptions: transactionLimits });
    this.#maintenance = new Poller({
      every: maintenanceIntervalMilliseconds,
      poll: () => maintain(createSqlSession(pglite)),
      // Nobody awaits maintenance, and if the database is broken, the next query fails as well: a warning is enough.
      onError: (error) => process.emitWarning(`maintenance of the embedded database failed: ${String(error)}`),
    });
  }

  session<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#pglite.hold(async (connection) => {
      try {
        return await work(createSqlSession(connection));
      } finally {
        // Ends a transaction that the work left open.
        await connection.exec('ROLLBACK');
      }
    });
  }

  async watch(onChange: ChangeListener, onLost: LossListener): Promise<ChangeFeed> {
    let listening = true;
    // Notifications arrive with the result of their COMMIT, before its caller goes on, so that the feed is always current.
    const stop = await this.#pglite.listen(changeChannel, (payload) => {
      if (listening) deliverChange(payload, onChange, onLost);
    });
    return {
      isCurrent: () => listening && this.#isOpen,
      isLeader: () => listening && this.#isOpen,
      proofAge: () => (listening && this.#isOpen ? 0 : Infinity),
      settle: async () => {
        await this.#pglite.query('SELECT 1');
      },
      close: () => {
        listening = false;
        stop();
        return Promise.resolve();
      },
    };
  }

  readPool(): null {
    return null;
  }

  async ping(): Promise<void> {
    // `SELECT 1` would wait for the statements before it, most of which take less than this.
    if (performance.now() - this.#pglite.wellAt < maxSilence) return;
    await withTimeout(
      pingTimeoutMilliseconds,
      this.#pglite.query('SELECT 1'),
      () => new Error('the embedded database did not answer within 2 seconds'),
    );
  }

  async copy(name: string): Promise<void> {
    const directory = this.#directory;
    if (directory === null) throw new Error('a database in memory has no files');
    // The copy can be opened like the files of a process that was killed, which is faster after a checkpoint.
    await this.session(async ({ exec }) => {
      await exec('CHECKPOINT');
      await copyStore(directory, name);
    });
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#maintenance.close();
    try {
      await this.prisma.$disconnect();
      await this.#pglite.close();
    } finally {
      this.#lock?.release();
    }
  }
}

/** Wraps the PGlite driver adapter, which reports success even if COMMIT failed, so that commit rejects in that case. */
function createAdapter(store: PgliteStore): SqlDriverAdapterFactory {
  const factory: SqlDriverAdapterFactory = new PrismaPGlite(asPglite(store));
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = await factory.connect();
      const start = adapter.startTransaction.bind(adapter);
      adapter.startTransaction = async (isolationLevel) => {
        const transaction = await start(isolationLevel);
        const { running } = store;
        const commit = transaction.commit.bind(transaction);
        transaction.commit = async () => {
          await commit();
          await running;
        };
        return transaction;
      };
      return adapter;
    },
  };
}

function createSqlSession(connection: Connection): SqlSession {
  return {
    exec: (sql) => connection.exec(sql),
    query: async <Row>(sql: string, parameters?: unknown[]) => (await connection.query<Row>(sql, parameters)).rows,
  };
}
