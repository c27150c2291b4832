// The service of one process: its parts put together, listening, and drained.
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp, type AppDependencies } from './app.ts';
import { Directory } from './auth/directory.ts';
import { LastUsed } from './auth/lastUsed.ts';
import { RateLimits } from './auth/rateLimits.ts';
import type { Config } from './config.ts';
import { notifyChanges } from './database/changeFeed.ts';
import type { Database } from './database/database.ts';
import { createGraphqlServer } from './graphql/server.ts';
import { guardWire, wireOptions } from './http/wire.ts';
import { withEntries } from './entries/model.ts';
import { Rebuilds } from './entries/rebuilds.ts';

/** How long requests in flight may take to finish when the service stops, in milliseconds. */
const drainLimit = 7_000;

export interface Service {
  /** The address that it listens on. */
  readonly url: string;
  /** Takes requests from now on. Until then `/livez` is answered, and whoever wants data is told to come back. */
  open(): void;
  /** Lets requests in flight finish, within a limit, and lets go of what it holds but the database. */
  stop(): Promise<void>;
}

type Parts = Pick<AppDependencies, 'graphql' | 'directory' | 'lastUsed' | 'rateLimits' | 'prisma'> & {
  readonly rebuilds: Rebuilds;
};

/**
 * Listens for a database, which has to be migrated before the service is opened.
 * @throws the error of `listen`, where the port can't be had
 */
export async function startService(config: Config, database: Database, log: Logger): Promise<Service> {
  const parts = await openParts(config, database, log);
  await parts.graphql.start();
  const state = { isOpen: false, isDraining: false };
  const checkReady = async (): Promise<void> => {
    if (!state.isOpen || state.isDraining) throw new Error('The service is starting or draining.');
    await database.ping();
  };
  const { publicUrl, limits } = config;
  const { prisma } = parts;
  const app = createApp({ ...parts, config, log, prisma, publicUrl, limits, checkReady, state });
  const server = createServer({ ...timeoutsOf(config), ...wireOptions });
  server.setTimeout(2 * config.requestTimeout);
  const underway = guardWire(server, app, log);
  try {
    await listen(server, config);
  } catch (error) {
    await letGo(parts);
    throw error;
  }
  return {
    url: urlOf(server, config),
    open: () => {
      state.isOpen = true;
    },
    stop: async () => {
      state.isDraining = true;
      if (state.isOpen) await sleep(config.drainDelay);
      // A connection that is kept after its answer would hold the drain up.
      for (const response of underway) response.shouldKeepAlive = false;
      await drain(server);
      await letGo(parts);
    },
  };
}

/** What a service is put together from. */
async function openParts(config: Config, database: Database, log: Logger): Promise<Parts> {
  const prisma = withEntries(database.prisma);
  const rateLimits = openRateLimits(config, database, log);
  const directory = await Directory.open(database, (change) => rateLimits.receiveCounts(change));
  const lastUsed = new LastUsed(prisma, (error) => log.warn({ err: error }, 'last use not written'));
  const rebuilds = new Rebuilds(prisma, (error) => log.error({ err: error }, 'entries not rebuilt'));
  const graphql = createGraphqlServer({ production: config.production, limits: config.limits.graphql, log });
  return { graphql, directory, lastUsed, rateLimits, rebuilds, prisma };
}

/** Clients that send slowly, or nothing, are answered 408 and let go; those that read nothing, after twice the time. */
function timeoutsOf({ requestTimeout }: Config): ServerOptions {
  return { requestTimeout, headersTimeout: Math.ceil(requestTimeout / 2), connectionsCheckingInterval: 1_000 };
}

async function letGo({ graphql, directory, lastUsed, rateLimits, rebuilds }: Parts): Promise<void> {
  rateLimits.close();
  await rebuilds.close();
  await graphql.stop();
  await lastUsed.close();
  await directory.close();
}

/** Only where there can be other processes does anybody need to be told. */
function openRateLimits({ rateLimits }: Config, { kind, prisma }: Database, log: Logger): RateLimits {
  const others =
    kind === 'postgresql' ? (messages: string[][]) => notifyChanges(prisma, messages) : () => Promise.resolve();
  return new RateLimits(rateLimits, others, (error) => log.warn({ err: error }, 'rate limits not told'));
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const limit = new AbortController();
  await Promise.race([closed, sleep(drainLimit, undefined, { signal: limit.signal })]);
  limit.abort();
  server.closeAllConnections();
}

function urlOf(server: Server, { host }: Config): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
