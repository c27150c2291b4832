// The database from the view of one site. If the sites are distributed over several servers, statements about the site
// go to its server.
import type { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './client.ts';
import { isNotSupported } from './databaseErrors.ts';
import {
  clientOn,
  PlainRunner,
  type ClientStatement,
  type StatementClient,
  type StatementRunner,
  type TransactionOptions,
  type TransactionWork,
} from './modelClient.ts';
import type { EntryStatements } from './statements.ts';
import { allTables } from './tables.ts';

/** Runs statements about one site. */
export interface SiteDatabase {
  readonly prisma: DatabaseClient;
  readonly statements: EntryStatements;
}

/** The servers that sites are distributed over. */
export interface SiteServers {
  /** Finds the server of a site. */
  find(site: string): Promise<SiteDatabase>;
  /** Finds that server's host and port; null for the server of the rows that belong to no site. */
  nameOf(site: string): Promise<string | null>;
}

/** The whole database, with the servers that sites are distributed over; `nodes` is null for a single server. */
export interface WholeDatabase extends SiteDatabase {
  readonly nodes: SiteServers | null;
}

/** The runners of statements about one site: those of Prisma's client, and those on entries. */
export interface SiteStatements {
  readonly runner: StatementRunner;
  readonly statements: EntryStatements;
}

/** Makes the runners of statements about a site. */
export function statementsAt({ prisma, statements, nodes }: WholeDatabase, site: string): SiteStatements {
  if (nodes === null) return { runner: new PlainRunner(prisma), statements };
  const find = (): Promise<SiteDatabase> => nodes.find(site);
  return { runner: new SiteRunner(prisma, site, find), statements: new NearStatements(find) };
}

/** The database from the view of one site. */
export function databaseAt(database: WholeDatabase, site: string): SiteDatabase {
  if (database.nodes === null) return database;
  const { runner, statements } = statementsAt(database, site);
  return { prisma: clientOn(runner, {}), statements };
}

/** Finds the server of a site. */
type FindServer = () => Promise<SiteDatabase>;

/** Runs each statement on the server that has the site when the statement begins. */
class NearStatements implements EntryStatements {
  readonly #find: FindServer;

  constructor(find: FindServer) {
    this.#find = find;
  }

  async read<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return (await this.#find()).statements.read(statement);
  }

  async readPrepared<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return (await this.#find()).statements.readPrepared(statement);
  }

  async write<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return (await this.#find()).statements.write(statement);
  }
}

/** The models whose rows are on the server of their site: those of the distributed tables (tables.ts), except entries. */
export const siteModels: ReadonlySet<string> = new Set(
  allTables.filter(({ place, usedBy }) => place === 'site' && usedBy === 'client').map(({ member }) => member),
);

/**
 * Sends transactions and the statements of `siteModels` to the site's server. Raw statements, and those about users,
 * tokens and sites, go to the same server for all sites.
 */
class SiteRunner implements StatementRunner {
  readonly #home: DatabaseClient;
  readonly #site: string;
  readonly #find: FindServer;

  constructor(home: DatabaseClient, site: string, find: FindServer) {
    this.#home = home;
    this.#site = site;
    this.#find = find;
  }

  async run<Result>({ model }: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result> {
    const isNear = model !== null && siteModels.has(model);
    return send(isNear ? (await this.#find()).prisma : this.#home);
  }

  /**
   * Runs a transaction on the site's node, on which the site then stays until it ends: the rows that it locks are
   * locked for all processes. If it also writes on the coordinator and sends a notification there, Citus refuses to
   * commit it from the site's node, and it is repeated on the coordinator, which can commit it. It is repeated only if
   * its COMMIT was refused: errors of its statements are for the caller to handle.
   */
  async transact<Result>(work: TransactionWork<Result>, options?: TransactionOptions): Promise<Result> {
    const { prisma } = await this.#find();
    const progress = { isCommitting: false };
    const staying: TransactionWork<Result> = async (client) => {
      await client.$queryRaw`SELECT entryway_stay(${this.#site})`;
      return work(client);
    };
    const watched: TransactionWork<Result> = async (client) => {
      const result = await staying(client);
      progress.isCommitting = true;
      return result;
    };
    try {
      return await prisma.$transaction(watched, options);
    } catch (error) {
      if (!progress.isCommitting || !isNotSupported(error)) throw error;
      return this.#home.$transaction(staying, options);
    }
  }
}
