// The embedded database: PGlite, PostgreSQL compiled to WebAssembly, in this process, on a directory or in memory.
// It has one connection: everything queues there. Each commit is written to the file before it is acknowledged, so that
// the death of the process loses nothing; PGlite never syncs the disk, so that a power cut may.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { PrismaClient } from '../generated/prisma/client.ts';
import { changeChannel, deliver } from './changeFeed.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';
import type { PlainDatabase, SqlSession } from './database.ts';
import { within } from './timeout.ts';
import { lockDirectory } from './directoryLock.ts';
import type { DirectoryLock } from './directoryLock.ts';
import { Store } from './pgliteStore.ts';
import { keepUp } from './maintenance.ts';

/** An empty store that the build has initialised (scripts/finish-build.mjs); there is none where the source is run. */
const initialized = fileURLToPath(new URL('../pgdata', import.meta.url));

const pingLimit = 2_000;
const upkeepInterval = 30_000;

/** Transactions queue for the one connection; Prisma's own limit of 2 seconds refuses them too soon under load. */
const transactionLimits = { maxWait: 30_000, timeout: 30_000 };

/**
 * Opens the embedded database.
 * @param dataDir the directory, made and filled where it is missing; absent: in memory
 * @param loadDataDir a dump to start an in-memory database from (tests)
 * @throws {DirectoryInUseError} where another process has it open
 * @throws {DirectoryLockError} where the directory cannot be locked at all
 */
export async function openEmbedded({
  dataDir,
  loadDataDir,
}: {
  dataDir?: string;
  loadDataDir?: Blob;
} = {}): Promise<PlainDatabase> {
  if (dataDir === undefined) {
    return new EmbeddedDatabase(await Store.open(loadDataDir === undefined ? {} : { loadDataDir }), null);
  }
  const lock = await lockDirectory(dataDir);
  try {
    return new EmbeddedDatabase(await openStore(dataDir), lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens the directory's store. A new one is made under another name first, so that a process that dies on its first
 * start leaves no half-made store behind.
 */
async function openStore(dataDir: string): Promise<Store> {
  const store = join(dataDir, 'pgdata');
  if (!existsSync(store)) {
    const draft = join(dataDir, 'pgdata.new');
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    if (existsSync(initialized)) cpSync(initialized, draft, { recursive: true });
    else await (await Store.open({ dataDir: draft })).close();
    renameSync(draft, store);
  }
  // relaxedDurability would acknowledge a write before it is in the file.
  return Store.open({ dataDir: store, relaxedDurability: false });
}

class EmbeddedDatabase implements PlainDatabase {
  readonly kind = 'embedded';
  readonly prisma: PrismaClient;
  readonly failed: Promise<never>;
  readonly #pglite: Store;
  readonly #lock: DirectoryLock | null;
  readonly #upkeep: NodeJS.Timeout;
  #busy: Promise<void> = Promise.resolve();
  #open = true;

  constructor(pglite: Store, lock: DirectoryLock | null) {
    this.#pglite = pglite;
    this.failed = pglite.failed;
    this.#lock = lock;
    this.prisma = new PrismaClient({ adapter: adapterOf(pglite), transactionOptions: transactionLimits });
    this.#upkeep = setInterval(() => this.#keepUp(), upkeepInterval).unref();
  }

  async session<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    // PGlite gives the connection away only together with a transaction; ending that at once leaves the connection.
    return this.#pglite.transaction(async (held) => {
      await held.exec('COMMIT');
      return work(sessionOf(held));
    });
  }

  async watch(onChange: ChangeListener, onLost: LossListener): Promise<ChangeFeed> {
    let listening = true;
    // A commit's notifications come with the answer to it, before whoever committed goes on: nothing is ever late.
    const stop = await this.#pglite.listen(changeChannel, (payload) => {
      if (listening) deliver(payload, onChange, onLost);
    });
    return {
      isCurrent: () => listening && this.#open,
      settle: async () => {
        await this.#pglite.query('SELECT 1');
      },
      close: async () => {
        listening = false;
        if (this.#open) await stop();
      },
    };
  }

  async ping(): Promise<void> {
    await within(pingLimit, this.#pglite.query('SELECT 1'), 'the embedded database did not answer within 2 seconds');
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#upkeep);
    await this.#busy;
    await this.prisma.$disconnect();
    await this.#pglite.close();
    this.#lock?.release();
  }

  #keepUp(): void {
    this.#busy = this.#busy
      .then(() => keepUp(sessionOf(this.#pglite)))
      .catch((error: unknown) => {
        // Nobody waits for it, and whatever is wrong with the database shows in the next query: a warning will do.
        process.emitWarning(`upkeep of the embedded database failed: ${String(error)}`);
      });
  }
}

/** Prisma's way to a store. The driver adapter takes a COMMIT for done that failed: this one tells. */
function adapterOf(store: Store): SqlDriverAdapterFactory {
  const factory: SqlDriverAdapterFactory = new PrismaPGlite(store);
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

function sessionOf(connection: Pick<PGlite, 'exec' | 'query'>): SqlSession {
  return {
    exec: async (sql) => {
      await connection.exec(sql);
    },
    query: async <Row>(sql: string, parameters: unknown[] = []) => (await connection.query<Row>(sql, parameters)).rows,
  };
}
