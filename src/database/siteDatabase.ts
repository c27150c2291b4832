// The database as it is used for one site. Where the sites are distributed over several servers, statements about the site go to
// the server that has it.
import type { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './client.ts';
import { isNotSupported } from './databaseErrors.ts';
import type { EntryStatements } from './statements.ts';
import { allTables } from './tables.ts';

/** Runs statements about one site. */
export interface SiteDatabase<Client = DatabaseClient> {
  readonly prisma: Client;
  readonly statements: EntryStatements;
}

/** The servers that sites are distributed over. */
export interface SiteServers {
  /** Finds the server that has a site. */
  find(site: string): Promise<SiteDatabase>;
  /** Finds that server's name, its host and port; null: it is the one that has what belongs to no site. */
  nameOf(site: string): Promise<string | null>;
}

/** The whole database, and the servers that sites are distributed over; `nodes` is null if there is only one server. */
interface WholeDatabase<Client> extends SiteDatabase<Client> {
  readonly nodes: SiteServers | null;
}

/** The database as it is used for one site. */
export function databaseAt<Client extends DatabaseClient>(
  { prisma, statements, nodes }: WholeDatabase<Client>,
  site: string,
): SiteDatabase<Client> {
  if (nodes === null) return { prisma, statements };
  const find = (): Promise<SiteDatabase> => nodes.find(site);
  return { prisma: siteClient(prisma, site, find), statements: new SiteStatements(find) };
}

/** Finds the server of a site. */
type FindServer = () => Promise<SiteDatabase>;

/** Runs each statement on the server that has the site when the statement begins. */
class SiteStatements implements EntryStatements {
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
export const siteModels: ReadonlySet<string | symbol> = new Set(
  allTables
    .filter(({ place, usedBy }) => place === 'site' && usedBy === 'client')
    .map(({ model }) => model.charAt(0).toLowerCase() + model.slice(1)),
);

type Method = (...parameters: unknown[]) => Promise<unknown>;
type Work = (client: unknown) => Promise<unknown>;
type Transact = (work: Work, options?: unknown) => Promise<unknown>;

/**
 * A client that sends transactions and the statements of `siteModels` to the site's server. Statements about users, tokens and
 * sites go to the same server for all sites.
 */
function siteClient<Client extends DatabaseClient>(home: Client, site: string, find: FindServer): Client {
  const near = (model: string): object =>
    new Proxy(Object.freeze({}), {
      get:
        (_target, method): Method =>
        async (...parameters) => {
          const { prisma } = await find();
          const methods = prisma[model as 'channel'] as unknown as Record<string | symbol, Method>;
          const run = methods[method];
          if (run === undefined) throw new TypeError(`${model} has no method ${String(method)}.`);
          return run(...parameters);
        },
    });
  return new Proxy(home, {
    get: (target, name) => {
      if (name === '$transaction') return transactNear(target, site, find);
      if (siteModels.has(name)) return near(name as string);
      return Reflect.get(target, name) as unknown;
    },
  });
}

/**
 * Runs a transaction on the site's node, on which the site then stays until it ends: the rows that it locks are locked for
 * everybody. If it also writes on the coordinator and sends a notification there, Citus refuses to commit it from the site's
 * node, and it is repeated on the coordinator, which can commit it. It is repeated only where its COMMIT was refused: what a
 * statement throws is the caller's to handle.
 */
function transactNear(home: DatabaseClient, site: string, find: FindServer): Transact {
  return async (work, options) => {
    const { prisma } = await find();
    const begin = (client: DatabaseClient, run: Work): Promise<unknown> =>
      (client.$transaction as Transact)(run, options);
    const progress = { isCommitting: false };
    const staying: Work = async (client) => {
      await (client as DatabaseClient).$queryRaw`SELECT entryway_stay(${site})`;
      return work(client);
    };
    const watched: Work = async (client) => {
      const result = await staying(client);
      progress.isCommitting = true;
      return result;
    };
    try {
      return await begin(prisma, watched);
    } catch (error) {
      if (!progress.isCommitting || !isNotSupported(error)) throw error;
      return begin(home, staying);
    }
  };
}
