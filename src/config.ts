// The configuration: environment variables, checked once at the start, into one frozen object.
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** A limit: a whole number from 1. */
const limit = (fallback: number): z.ZodDefault<z.ZodCoercedNumber> => z.coerce.number().int().min(1).default(fallback);

/** The proxies in front: so many of them, or their addresses, networks, and Express' names for private networks. */
const proxies = list.transform((items, context): number | string[] => {
  if (items.length === 1 && /^\d{1,2}$/.test(items[0] ?? '')) return Number(items[0]);
  for (const item of items) {
    if (isNetwork(item) || ['loopback', 'linklocal', 'uniquelocal'].includes(item)) continue;
    context.addIssue({ code: 'custom', message: `${JSON.stringify(item)} is neither a number nor an address` });
  }
  return items;
});

/** Whether a text is an address or a network that Express' `trust proxy` takes: it refuses a prefix of 0 bits. */
function isNetwork(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  if (IPv4.isValidFourPartDecimal(text) || IPv6.isValid(text)) return true;
  return !/\/0+$/.test(text) && (IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text));
}

/** Each variable, with its default and what `serve --help` and the README say of it. */
const variables = z.object({
  NODE_ENV: z.string().default('development').describe('"production" closes Apollo Sandbox and hides schema details'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(4000).describe('port to listen on'),
  HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on; 0.0.0.0 in a container'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('postgresql://… of the server; absent: the embedded database'),
  DATABASE_POOL: z.coerce.number().int().min(1).max(1000).default(10).describe('connections to PostgreSQL per process'),
  DATA_DIR: z.string().min(1).default('./data').describe('directory of the embedded database'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe("the service's address as clients see it; absent: taken from each request"),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('least severe log line written'),
  CORS_ORIGINS: list.optional().describe('origins that browsers may call from, comma-separated; absent: any'),
  TRUST_PROXY: proxies
    .optional()
    .describe('proxies whose X-Forwarded-* headers count: how many stand in front, or their addresses; absent: none'),
  RATE_LIMIT: z.enum(['on', 'off']).default('on').describe('"off" lets any number of operations through'),
  RATE_LIMIT_TOKEN: limit(60_000).describe('operations per minute that one token may do'),
  RATE_LIMIT_ADDRESS: limit(30_000).describe('operations per minute that may come from one address'),
  STATEMENT_TIMEOUT: limit(10_000).describe('milliseconds that PostgreSQL may work on one statement of a request'),
  REQUEST_TIMEOUT: limit(30_000).describe(
    'milliseconds that a client may take to send a request; half of it for the headers',
  ),
  DRAIN_DELAY: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_000)
    .default(0)
    .describe('milliseconds between /readyz saying 503 and the port closing, when the service stops'),
  BODY_LIMIT: limit(1_048_576).describe('bytes of a request body'),
  URL_LIMIT: limit(8_192).describe('bytes of a URL, from its path on'),
  JSON_MAX_DEPTH: limit(100).describe('levels that an input may nest'),
  JSON_MAX_VALUES: limit(50_000).describe('members and items, at all levels, that an input may hold'),
  GRAPHQL_MAX_LENGTH: limit(131_072).describe('characters of a GraphQL document'),
  GRAPHQL_MAX_TOKENS: limit(5_000).describe('lexical tokens of a GraphQL document'),
  GRAPHQL_MAX_DEPTH: limit(20).describe('levels of fields in an operation, fragments spread'),
  GRAPHQL_MAX_ALIASES: limit(100).describe('aliases in an operation, fragments spread'),
  GRAPHQL_MAX_ROOT_FIELDS: limit(25).describe('fields at the top of an operation, fragments spread'),
  GRAPHQL_MAX_COST: limit(50_000).describe('fields that an operation may resolve, list sizes multiplied down'),
});

export type Config = Readonly<{
  production: boolean;
  port: number;
  host: string;
  databaseUrl: string | undefined;
  databasePool: number;
  dataDir: string;
  publicUrl: string | undefined;
  logLevel: string;
  corsOrigins: readonly string[] | undefined;
  /** As Express' `trust proxy` takes it. */
  trustProxy: number | string[] | false;
  rateLimits: RateLimitConfig | null;
  statementTimeout: number;
  requestTimeout: number;
  drainDelay: number;
  limits: Limits;
}>;

/** Operations per minute. */
export interface RateLimitConfig {
  readonly perToken: number;
  readonly perAddress: number;
}

/** How large what a caller sends may be, in the units that `variables` gives. */
export interface Limits {
  readonly body: number;
  readonly url: number;
  /** Levels of objects and arrays; members and items at all levels. */
  readonly json: { readonly depth: number; readonly values: number };
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

/** What is wrong with the environment, in one line. */
export class ConfigError extends Error {}

/**
 * The configuration that an environment describes. Empty variables count as absent.
 * @throws {ConfigError} naming each variable that does not fit
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = variables.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  const values = parsed.data;
  return Object.freeze({
    production: values.NODE_ENV === 'production',
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL,
    databasePool: values.DATABASE_POOL,
    dataDir: values.DATA_DIR,
    publicUrl: values.PUBLIC_URL,
    logLevel: values.LOG_LEVEL,
    corsOrigins: values.CORS_ORIGINS,
    trustProxy: values.TRUST_PROXY ?? false,
    rateLimits:
      values.RATE_LIMIT === 'off' ? null : { perToken: values.RATE_LIMIT_TOKEN, perAddress: values.RATE_LIMIT_ADDRESS },
    statementTimeout: values.STATEMENT_TIMEOUT,
    requestTimeout: values.REQUEST_TIMEOUT,
    drainDelay: values.DRAIN_DELAY,
    limits: limitsOf(values),
  });
}

function limitsOf(values: z.infer<typeof variables>): Limits {
  return {
    body: values.BODY_LIMIT,
    url: values.URL_LIMIT,
    json: { depth: values.JSON_MAX_DEPTH, values: values.JSON_MAX_VALUES },
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

/** Name, default and meaning of every variable, for `serve --help`. */
export function describeConfig(): { name: string; default: string; meaning: string }[] {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined);
    return {
      name,
      default: fallback.success && fallback.data !== undefined ? String(fallback.data) : '',
      meaning: schema.description ?? '',
    };
  });
}
