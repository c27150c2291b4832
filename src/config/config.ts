// Reads the configuration once at the start from environment variables into a frozen object.
import { availableParallelism } from 'node:os';
import type { z } from 'zod';
import { dayMilliseconds, variables } from './variables.ts';
import { readSecretFile } from './secretFile.ts';

export type Config = Readonly<{
  production: boolean;
  /** Whether an embedded database without sites gets a demo site. */
  demo: boolean;
  /** Whether the tokens of a demo site are printed to any standard output, and not only to a terminal. */
  demoTokens: boolean;
  /** Whether pages for browsers are served: GraphiQL, the reference of REST, the console. */
  console: boolean;
  /** Whether users sign in to the console: /auth. */
  signIn: boolean;
  port: number;
  host: string;
  databaseUrl: string | undefined;
  /** A direct connection to the database, if `databaseUrl` leads through a pooler; undefined if it does not. */
  directUrl: string | undefined;
  /** Standbys for reads, with their maximum lag in milliseconds; null for none. */
  replicas: { readonly urls: readonly string[]; readonly maxLag: number } | null;
  /** Maximum number of connections of this process. */
  databasePool: number;
  /** Number of processes that listen on the port. */
  workers: number;
  dataDir: string;
  publicUrl: string | undefined;
  logLevel: string;
  /** The address on which metrics are served; null to serve none. */
  metrics: { readonly port: number; readonly host: string } | null;
  corsOrigins: readonly string[] | undefined;
  /** The number of trusted proxies, or their addresses; false for none. */
  trustProxy: number | string[] | false;
  rateLimits: RateLimitConfig | null;
  streams: StreamLimits;
  webhooks: WebhookConfig;
  /** Retention of the audit log in milliseconds; null for forever. */
  auditRetention: number | null;
  /** This and the next three are in milliseconds. */
  changesRetention: number;
  statementTimeout: number;
  requestTimeout: number;
  drainDelay: number;
  limits: Limits;
}>;

/** Maximum numbers of requests that are held open at the same time. */
export interface StreamLimits {
  /** By one token; for a public token: from one address. */
  readonly perToken: number;
  /** By this process. One public token may have half of them. */
  readonly perProcess: number;
  /** Time for the reader of a stream to read the sent data, in milliseconds. */
  readonly maxStalled: number;
}

/** Whether webhooks may lead into private networks and to this machine, and whether over plain http. */
export interface WebhookConfig {
  readonly allowPrivate: boolean;
  readonly allowHttp: boolean;
}

/** Operations per minute, and their headers. */
export interface RateLimitConfig {
  /** Of a master or user token. */
  readonly perToken: number;
  /** From an address, for each public token separately. */
  readonly perAddress: number;
  /** Of a public token, from all addresses. */
  readonly perPublicToken: number;
  /** Whether answers have the older three headers, too (docs/contract.md §13.1). */
  readonly legacyHeaders: boolean;
}

/** Size limits of requests, in the units that `variables` describes. */
export interface Limits {
  readonly body: number;
  readonly answer: number;
  /** Comparisons without an index times bytes. */
  readonly scan: number;
  /** Comparisons, those that an index serves included, times the bytes of the largest entries. */
  readonly scanOfLargest: number;
  /**
   * Maximum time for which one statement of a list reads entries, in milliseconds; null if the database limits it
   * (`STATEMENT_TIMEOUT`).
   */
  readonly scanTime: number | null;
  readonly url: number;
  /** `depth`: levels of objects and arrays; `values`: members and items at all levels together. */
  readonly json: { readonly depth: number; readonly members: number; readonly values: number };
  readonly graphql: GraphqlLimits;
}

export interface GraphqlLimits {
  readonly length: number;
  readonly tokens: number;
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly cost: number;
}

/** Some environment variables are invalid. The message names them, in one line. */
export class ConfigError extends Error {}

/**
 * Reads the configuration from an environment. Empty variables count as absent. A secret may be in a file, whose name
 * is in the variable with the suffix `_FILE`.
 * @throws {ConfigError} naming each invalid variable
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const nonEmpty = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const fromFiles = readSecrets(nonEmpty);
  const parsed = variables.safeParse({ ...nonEmpty, ...fromFiles });
  if (!parsed.success) {
    const name = (variable: string): string => (variable in fromFiles ? `${variable}_FILE` : variable);
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${name(path.join('.'))}: ${message}`).join('; '),
    );
  }
  const values = parsed.data;
  const hasConsole = values.CONSOLE === undefined ? values.NODE_ENV !== 'production' : values.CONSOLE === 'on';
  return Object.freeze({
    production: values.NODE_ENV === 'production',
    demo: values.DEMO === undefined ? values.NODE_ENV !== 'production' : values.DEMO === 'on',
    demoTokens: values.DEMO === 'on',
    console: hasConsole,
    signIn: values.SIGN_IN === undefined ? hasConsole : values.SIGN_IN === 'on',
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL,
    ...readServers(values),
    ...readWorkers(values),
    dataDir: values.DATA_DIR,
    publicUrl: values.PUBLIC_URL,
    logLevel: values.LOG_LEVEL,
    metrics: readMetrics(values),
    corsOrigins: values.CORS_ORIGINS,
    trustProxy: values.TRUST_PROXY ?? false,
    rateLimits: readRateLimits(values),
    streams: { perToken: values.STREAMS_PER_TOKEN, perProcess: values.STREAMS_MAX, maxStalled: values.REQUEST_TIMEOUT },
    webhooks: {
      allowPrivate: values.WEBHOOK_ALLOW_PRIVATE === 'on',
      allowHttp: values.WEBHOOK_ALLOW_PRIVATE === 'on' || values.NODE_ENV !== 'production',
    },
    changesRetention: values.CHANGES_RETENTION,
    auditRetention: values.AUDIT_RETENTION === 0 ? null : values.AUDIT_RETENTION * dayMilliseconds,
    statementTimeout: values.STATEMENT_TIMEOUT,
    requestTimeout: values.REQUEST_TIMEOUT,
    drainDelay: values.DRAIN_DELAY,
    limits: readLimits(values),
  });
}

/** Reads secrets from their files: variable → value. @throws {ConfigError} if one is set twice, or can't be read */
function readSecrets(environment: Record<string, string | undefined>): Record<string, string> {
  const fileVariables = Object.keys(variables.shape).filter(
    (name) => name.endsWith('_FILE') && environment[name] !== undefined,
  );
  return Object.fromEntries(
    fileVariables.map((name) => {
      const variable = name.replace(/_FILE$/, '');
      if (environment[variable] !== undefined)
        throw new ConfigError(`${name}: ${variable} is set, too; set one of them`);
      try {
        return [variable, readSecretFile(environment[name] ?? '')];
      } catch (error) {
        throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }),
  );
}

/** The servers beside that of DATABASE_URL. */
function readServers(values: z.infer<typeof variables>): Pick<Config, 'directUrl' | 'replicas'> {
  const { DATABASE_DIRECT_URL: directUrl, DATABASE_REPLICA_URLS: urls = [], REPLICA_MAX_LAG: maxLag } = values;
  const isAlone = values.DATABASE_URL === undefined;
  if (isAlone && directUrl !== undefined) throw new ConfigError('DATABASE_DIRECT_URL: it goes with DATABASE_URL');
  if (isAlone && urls.length > 0) throw new ConfigError('DATABASE_REPLICA_URLS: they go with DATABASE_URL');
  return { directUrl, replicas: urls.length === 0 ? null : { urls, maxLag } };
}

/** The address on which metrics are served. @throws {ConfigError} if it has the port of requests */
function readMetrics({
  PORT,
  HOST,
  METRICS_PORT: port,
  METRICS_HOST: host,
}: z.infer<typeof variables>): Config['metrics'] {
  if (port === undefined) return null;
  const areSeparate = port === 0 || port !== PORT || (host !== HOST && !isEveryAddress(host) && !isEveryAddress(HOST));
  if (!areSeparate) throw new ConfigError(`METRICS_PORT: ${port} is PORT, too; metrics need a port of their own`);
  return { port, host };
}

/** Whether a host to listen on stands for all addresses of the machine. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The number of processes that listen on the port, and the maximum number of connections of each. */
function readWorkers(values: z.infer<typeof variables>): Pick<Config, 'workers' | 'databasePool'> {
  const workers = values.WORKERS === 'auto' ? availableParallelism() : values.WORKERS;
  if (values.DATABASE_URL === undefined) {
    if (values.WORKERS === 'auto' || workers === 1) return { workers: 1, databasePool: values.DATABASE_POOL };
    throw new ConfigError('WORKERS: the embedded database has one process; workers need DATABASE_URL');
  }
  if (workers > values.DATABASE_POOL) {
    throw new ConfigError(`DATABASE_POOL: ${values.DATABASE_POOL} connections are too few for ${workers} workers`);
  }
  return { workers, databasePool: Math.floor(values.DATABASE_POOL / workers) };
}

function readRateLimits(values: z.infer<typeof variables>): RateLimitConfig | null {
  if (values.RATE_LIMIT === 'off') return null;
  return {
    perToken: values.RATE_LIMIT_TOKEN,
    perAddress: values.RATE_LIMIT_ADDRESS,
    perPublicToken: values.RATE_LIMIT_PUBLIC_TOKEN,
    legacyHeaders: values.RATE_LIMIT_LEGACY_HEADERS === 'on',
  };
}

function readLimits(values: z.infer<typeof variables>): Limits {
  const isEmbedded = values.DATABASE_URL === undefined;
  const scan = values.FILTER_MAX_COST ?? (isEmbedded ? 134_217_728 : 4_294_967_296);
  return {
    body: values.BODY_LIMIT,
    answer: values.ANSWER_LIMIT,
    scan,
    // A comparison by the index over all channels makes two copies of an entry's values.
    scanOfLargest: isEmbedded ? (values.FILTER_MAX_COST ?? 33_554_432) : scan / 2,
    scanTime: values.SCAN_TIMEOUT,
    url: values.URL_LIMIT,
    json: { depth: values.JSON_MAX_DEPTH, members: values.JSON_MAX_MEMBERS, values: values.JSON_MAX_VALUES },
    graphql: {
      length: values.GRAPHQL_MAX_LENGTH,
      tokens: values.GRAPHQL_MAX_TOKENS,
      depth: values.GRAPHQL_MAX_DEPTH,
      aliases: values.GRAPHQL_MAX_ALIASES,
      rootFields: values.GRAPHQL_MAX_ROOT_FIELDS,
      cost: values.GRAPHQL_MAX_COST,
    },
  };
}
