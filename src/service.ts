// The service of one process: it puts the parts together, listens, and drains when it stops.
import { createServer, type ServerOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp, createStrayHandler, type AppDependencies } from './app.ts';
import { Directory } from './auth/directory.ts';
import { LastUsed } from './auth/lastUsed.ts';
import {
  logLosses,
  openLiveChanges,
  openRateLimits,
  openSweeps,
  startReplicas,
  type WorkerRole,
} from './service/background.ts';
import type { Config, Limits } from './config/config.ts';
import type { Database } from './database/database.ts';
import type { Sweep } from './base/sweep.ts';
import { Undelivered } from './database/undelivered.ts';
import { PlainRunner } from './database/modelClient.ts';
import type { EntryClient } from './entries/model.ts';
import { resolvers, startFeatures, type Provided } from './features.ts';
import type { ProcessParts, Started } from './features/feature.ts';
import { SharedCounts } from './entries/sharedCounts.ts';
import { openCreates } from './entries/sql/create.ts';
import { DocumentCache } from './graphql/documents.ts';
import { createSchema } from './graphql/schema.ts';
import { createGraphqlServer } from './graphql/server.ts';
import { drain } from './http/drain.ts';
import { listenOrClose, urlOf } from './http/listen.ts';
import { guardWire, wireOptions } from './http/wire.ts';
import { openMonitoring } from './http/metrics/monitoring.ts';
import { openJoined, openShares, ownWork } from './resolvers/openShares.ts';
import { Streams } from './admission/streams.ts';
import type { Gauges } from './telemetry/gauges.ts';

/** The time that requests in flight have to finish when the service stops, in milliseconds. */
const maxDrainMilliseconds = 7_000;

export interface Service {
  /** The address that it listens on. */
  readonly url: string;
  /** The address of the metrics; null without metrics. */
  readonly metricsUrl: string | null;
  /** Accepts requests from now on. Until then only `/livez` and `/readyz` are served; other requests are `unavailable`. */
  open(): void;
  /** Takes the reason of an unhandled rejection: it ends the request that it belongs to, if that is known. */
  readonly takeStray: (reason: unknown) => void;
  /** Lets requests in flight finish, within a limit, and closes all parts except the database. */
  stop(): Promise<void>;
}

type Parts = ProcessParts &
  Provided &
  Pick<AppDependencies, 'graphql' | 'lastUsed' | 'rateLimits'> & {
    readonly features: Required<Started>;
    readonly sweeps: readonly Sweep[];
    readonly undelivered: Undelivered;
  };

/**
 * Puts the service together and listens. The database has to be migrated before the service is opened.
 * @param role its role among the processes that share the port; null without others
 * @throws the error of `listen`, if the port cannot be used
 */
export async function startService(
  config: Config,
  database: Database,
  log: Logger,
  role: WorkerRole | null = null,
): Promise<Service> {
  const address = { url: config.publicUrl ?? '' };
  const parts = await openParts(config, database, log, { role, baseUrl: () => address.url });
  const opening = openMonitoring(config.metrics, gaugesOf(database, parts), log, role !== null);
  const monitoring = await opening.catch(async (error: unknown) => {
    await closeParts(parts);
    throw error;
  });
  await parts.graphql.start();
  const state = { isOpen: false, isDraining: false };
  const closeAll = (): Promise<void> => monitoring.close().then(() => closeParts(parts));
  const app = createApp({
    ...parts,
    ...databaseParts(database, log),
    metrics: monitoring.metrics,
    creates: openCreates(),
    state,
    publicUrl: config.publicUrl,
    checkReady: () => checkReady(state, database),
  });
  const server = createServer({ ...serverTimeouts(config), ...wireOptions });
  server.setTimeout(2 * config.requestTimeout);
  const underway = guardWire(server, app, { log, metrics: monitoring.metrics });
  await listenOrClose(server, config, closeAll);
  const url = urlOf(server, config);
  address.url ||= url;
  return {
    url,
    metricsUrl: monitoring.url,
    takeStray: createStrayHandler(log, monitoring.metrics),
    open: () => {
      state.isOpen = true;
      parts.features.open();
    },
    stop: async () => {
      state.isDraining = true;
      if (state.isOpen) await sleep(config.drainDelay);
      parts.streams.drain();
      // A connection that stays open after its response would delay the drain.
      for (const response of underway) response.shouldKeepAlive = false;
      await drain(server, maxDrainMilliseconds);
      await closeAll();
    },
  };
}

/** The clients of the database that requests work with. */
function databaseParts(
  database: Database,
  log: Logger,
): Pick<AppDependencies, 'prisma' | 'statements' | 'replicas' | 'nodes' | 'everywhere'> {
  const { prisma, statements, replicas, nodes } = startReplicas(database, log);
  const everywhere = nodes === null ? { runner: new PlainRunner(prisma), statements } : null;
  return { prisma, statements, replicas, nodes, everywhere };
}

/** @throws Error while the service cannot serve */
async function checkReady(state: { isOpen: boolean; isDraining: boolean }, database: Database): Promise<void> {
  if (!state.isOpen || state.isDraining) throw new Error('The service is starting or draining.');
  await database.ping();
}

/** The state of the parts for the metrics. */
function gaugesOf(database: Database, { directory, rebuilds, shares, undelivered }: Parts): Gauges {
  return {
    pool: () => database.readPool(),
    replicas: () => database.replicas?.readState() ?? null,
    queues: () => shares.readQueues(),
    caches: () => directory.readCaches(),
    proofAge: () => directory.proofAge(),
    rebuilds: () => rebuilds.readState(),
    undelivered: () => undelivered.read(),
  };
}

/** Creates the parts of a service. */
async function openParts(
  config: Config,
  database: Database,
  log: Logger,
  { role, baseUrl }: Pick<ProcessParts, 'baseUrl'> & { readonly role: WorkerRole | null },
): Promise<Parts> {
  const counts = new SharedCounts();
  const shares = openShares(config, database);
  const own = (part: string): EntryClient => ownWork(database, shares, part);
  const rateLimits = openRateLimits(config, database, { log, role });
  const followers: Follower[] = [{ receive: (change) => rateLimits.receiveCounts(change) }];
  const directory = await openDirectory(database, log, followers);
  const isLeader = (): boolean => directory.isLeader();
  const liveChanges = openLiveChanges(database, shares, { log, isLeader });
  const lastUsed = new LastUsed(own('uses'), (error) => log.warn({ err: error }, 'last use not written'));
  const sweeps = openSweeps(config, own('sweeps'), log, directory);
  const process = {
    config,
    database,
    log,
    limits: limitsOn(config, database),
    shares,
    streams: new Streams(config.streams),
    directory,
    liveChanges,
    schema: createSchema(resolvers),
    baseUrl,
    own,
    counts,
    joinClient: openJoined(database, shares, counts),
  };
  const features = startFeatures(process);
  followers.push({ receive: (change) => liveChanges.receive(change), recover: () => liveChanges.wakeAll() }, features);
  const { provides } = features;
  const graphql = createGraphqlServer({
    production: config.production,
    limits: config.limits.graphql,
    log,
    schema: process.schema,
    documents: new DocumentCache(config.limits.graphql.length).of(''),
    subscribe: provides.subscribe,
  });
  const undelivered = new Undelivered(own('metrics'), isLeader);
  return { ...process, ...provides, features, graphql, lastUsed, rateLimits, sweeps, undelivered };
}

/** A listener to changes that the directory has followed. */
type Follower = Pick<Started, 'receive' | 'recover'>;

/** Opens the directory. @param followers its listeners, to which others may be added */
function openDirectory(database: Database, log: Logger, followers: readonly Follower[]): Promise<Directory> {
  return Directory.open(
    database,
    (change) => {
      for (const { receive } of followers) receive?.(change);
    },
    logLosses(log, () => {
      for (const { recover } of followers) recover?.();
    }),
  );
}

/** The limits of requests. PostgreSQL ends statements by itself. */
function limitsOn({ limits }: Config, { kind }: Pick<Database, 'kind'>): Limits {
  return kind === 'postgresql' ? { ...limits, scanTime: null } : limits;
}

/**
 * The time for which a connection stays open for the next request. nginx closes unused connections after 60 seconds,
 * and Caddy after 120. The side that sends has to be the one that closes: a request that meets the end of its
 * connection is lost.
 */
const keepAliveTimeout = 125_000;

/**
 * The timeouts of requests: a client that sends too slowly gets 408, and its connection is closed. A client that does
 * not read its response is disconnected after twice the time (`setTimeout` above).
 */
function serverTimeouts({ requestTimeout }: Config): ServerOptions {
  const headersTimeout = Math.ceil(requestTimeout / 2);
  return { requestTimeout, headersTimeout, keepAliveTimeout, connectionsCheckingInterval: 1_000 };
}

/** Closes all parts except the database, and writes their pending data. */
async function closeParts({
  graphql,
  streams,
  directory,
  lastUsed,
  rateLimits,
  sweeps,
  liveChanges,
  features,
  undelivered,
}: Parts): Promise<void> {
  streams.drain();
  rateLimits.close();
  await features.close();
  await liveChanges.close();
  for (const sweep of sweeps) await sweep.close();
  await undelivered.close();
  await graphql.stop();
  await lastUsed.close();
  await directory.close();
}
