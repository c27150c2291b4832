// The environment variables of the service, with their defaults and descriptions.
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseHosts } from './databaseUrl.ts';

const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** An integer between two bounds. */
function integer(min: number, max = Number.MAX_SAFE_INTEGER): z.ZodCoercedNumber {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `must be a whole number ${bounds}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** One of a few words. */
function oneOf<Word extends string>(...words: [Word, ...Word[]]): z.ZodEnum<{ [word in Word]: word }> {
  const [last] = words.slice(-1);
  return z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${last}` });
}

/** An integer of at least 1. */
const limit = (fallback: number): z.ZodDefault<z.ZodCoercedNumber> => integer(1).default(fallback);

/** The names that `proxy-addr` has for private networks. */
const privateNetworks = ['loopback', 'linklocal', 'uniquelocal'];

/** The trusted proxies: their number, or their addresses and networks. */
const proxies = commaList.transform((items, context): number | string[] => {
  if (items.length === 1 && /^\d{1,2}$/.test(items[0] ?? '')) return Number(items[0]);
  for (const item of items) {
    if (isNetwork(item) || privateNetworks.includes(item)) continue;
    const expected = `an address, a network, ${privateNetworks.join(', ')}, or, by itself, a number of proxies`;
    context.addIssue({ code: 'custom', message: `${JSON.stringify(item)} is not ${expected}` });
  }
  return items;
});

/** Whether a text is an address or a network that `proxy-addr` accepts. It does not accept a prefix of 0 bits. */
function isNetwork(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  if (IPv4.isValidFourPartDecimal(text) || IPv6.isValid(text)) return true;
  return !/\/0+$/.test(text) && (IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text));
}

/** Whether a URL leads to a single server, without a choice between several. */
function isSingleServer(url: string): boolean {
  const hosts = parseHosts(url);
  return hosts !== null && hosts.urls.length === 1 && !hosts.writable;
}

export const dayMilliseconds = 86_400_000;

/** A number of days or hours, in milliseconds. */
const retention = z
  .string()
  .regex(/^[1-9]\d{0,4}[dh]$/, 'must be a number of days or hours, such as 30d or 12h')
  .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? dayMilliseconds : dayMilliseconds / 24));

/** Every variable with its default; `serve --help` shows the descriptions. */
export const variables = z.object({
  NODE_ENV: oneOf('development', 'test', 'production')
    .default('development')
    .describe('production closes the pages for browsers, and introspection to public tokens, and makes no demo site'),
  PORT: integer(0, 65_535).default(4000).describe('port to listen on'),
  HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on; 0.0.0.0 in a container'),
  DATABASE_URL: z
    .string()
    .refine(
      (url) => parseHosts(url) !== null,
      'must be a URL of PostgreSQL: postgresql://user:password@host:port/database, with further hosts behind commas, and ' +
        'target_session_attrs any, primary or read-write',
    )
    .optional()
    .describe('postgresql://… of a PostgreSQL server, or of several with commas; absent: the embedded database'),
  DATABASE_URL_FILE: z
    .string()
    .optional()
    .describe('a file with the value of DATABASE_URL in its only line, instead of that variable'),
  DATABASE_DIRECT_URL: z
    .string()
    .refine((url) => parseHosts(url) !== null, 'must be a URL of PostgreSQL, as DATABASE_URL')
    .optional()
    .describe('the same database without a pooler, if DATABASE_URL leads through one in transaction mode'),
  DATABASE_DIRECT_URL_FILE: z.string().optional().describe('a file with the value of DATABASE_DIRECT_URL'),
  DATABASE_REPLICA_URLS: commaList
    .refine((urls) => urls.every(isSingleServer), 'must be URLs of PostgreSQL behind commas, each of one server')
    .optional()
    .describe('postgresql://… of streaming standbys, comma-separated, for reads of public tokens; absent: none'),
  DATABASE_REPLICA_URLS_FILE: z.string().optional().describe('a file with the value of DATABASE_REPLICA_URLS'),
  REPLICA_MAX_LAG: integer(100, 60_000)
    .default(2_000)
    .describe('milliseconds that a standby may be behind the primary to answer a read'),
  DATABASE_POOL: integer(1, 1000).default(10).describe('connections to PostgreSQL per process; workers share them out'),
  WORKERS: z
    .union([z.literal('auto'), integer(1, 256)], { error: 'must be a whole number from 1 to 256, or auto' })
    .default(1)
    .describe('processes behind the port; auto: one for each processor'),
  DATA_DIR: z.string().min(1).default('./data').describe('directory of the embedded database'),
  DEMO: oneOf('on', 'off')
    .optional()
    .describe(
      'whether an embedded database without sites gets a demo site; absent: not in production; "on" also prints its tokens ' +
        'where standard output is no terminal',
    ),
  CONSOLE: oneOf('on', 'off')
    .optional()
    .describe('whether browsers get pages at /, /graphql, /docs and /console; absent: not in production'),
  SIGN_IN: oneOf('on', 'off')
    .optional()
    .describe('whether users sign in to the console, with a password, at /auth; absent: as CONSOLE'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://content.example.com' })
    .refine((url) => !/[?#]/.test(url), 'must have neither a query nor a fragment')
    .transform((url) => new URL(url).href.replace(/\/+$/, ''))
    .optional()
    .describe("the service's URL as clients see it; absent: taken from each request"),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .default('info')
    .describe('least severe level that is logged; on a terminal the default is warn'),
  METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe('port for GET /metrics in the format of Prometheus, without a token; absent: no metrics'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('address for METRICS_PORT; 0.0.0.0 in a container'),
  CORS_ORIGINS: commaList.optional().describe('origins that browsers may call from, comma-separated; absent: any'),
  TRUST_PROXY: proxies
    .optional()
    .describe('trusted proxies, whose X-Forwarded-* headers count: their number, or their addresses; absent: none'),
  RATE_LIMIT: oneOf('on', 'off').default('on').describe('"off" disables the limits on rates'),
  RATE_LIMIT_TOKEN: limit(60_000).describe('operations per minute of one master or user token'),
  RATE_LIMIT_ADDRESS: limit(30_000).describe(
    'operations per minute from one address (IPv6: from one /64 network), counted for each public token by itself',
  ),
  RATE_LIMIT_PUBLIC_TOKEN: limit(600_000).describe('operations per minute of one public token, from all addresses'),
  RATE_LIMIT_LEGACY_HEADERS: oneOf('on', 'off')
    .default('off')
    .describe('"on" adds RateLimit-Limit, -Remaining and -Reset to RateLimit and RateLimit-Policy, for older clients'),
  CHANGES_RETENTION: retention
    .prefault('30d')
    .describe('how long changes are kept: days such as 30d, or hours such as 12h'),
  AUDIT_RETENTION: integer(0, 36_500)
    .default(365)
    .describe('days that the audit log of management is kept; 0: forever'),
  STREAMS_PER_TOKEN: limit(200).describe(
    'streams and long polls of one token at the same time; of a public token: from one address',
  ),
  STREAMS_MAX: limit(5_000).describe('streams and long polls of a process at the same time'),
  WEBHOOK_ALLOW_PRIVATE: oneOf('on', 'off')
    .default('off')
    .describe('"on" lets webhooks reach private addresses, and http in production; for tests and closed networks'),
  STATEMENT_TIMEOUT: limit(10_000).describe(
    'milliseconds that one SQL statement of a request may take; on the embedded database see SCAN_TIMEOUT',
  ),
  REQUEST_TIMEOUT: limit(30_000).describe(
    'milliseconds in which a request must arrive, its headers in half of them; and in which a stream must be read',
  ),
  DRAIN_DELAY: integer(0, 2_000)
    .default(0)
    .describe('milliseconds between /readyz answering 503 and the port closing, when the service stops'),
  BODY_LIMIT: limit(1_048_576).describe('maximum bytes of a request body'),
  ANSWER_LIMIT: limit(16_777_216).describe('maximum bytes of an answer, and of the rows that are read for it'),
  FILTER_MAX_COST: integer(1)
    .optional()
    .describe(
      "maximum cost of a list: comparisons without an index, multiplied by the bytes of the channel's entries; absent: " +
        '4 GiB, and 128 MiB on the embedded database',
    ),
  SCAN_TIMEOUT: limit(400).describe(
    'milliseconds that one SQL statement of a list may look into entries on the embedded database',
  ),
  URL_LIMIT: limit(8_192).describe('maximum bytes of a URL, from its path on'),
  JSON_MAX_DEPTH: limit(100).describe('maximum depth of JSON input'),
  JSON_MAX_MEMBERS: limit(10_000).describe('maximum members of one object of JSON input'),
  JSON_MAX_VALUES: limit(50_000).describe('maximum members and items of JSON input, at all levels together'),
  GRAPHQL_MAX_LENGTH: limit(131_072).describe('maximum characters of a GraphQL document'),
  GRAPHQL_MAX_TOKENS: limit(5_000).describe('maximum lexical tokens of a GraphQL document'),
  GRAPHQL_MAX_DEPTH: limit(20).describe('maximum depth of fields in an operation, fragments included'),
  GRAPHQL_MAX_ALIASES: limit(100).describe('maximum aliases in an operation, fragments included'),
  GRAPHQL_MAX_ROOT_FIELDS: limit(25).describe('maximum top-level fields of an operation, fragments included'),
  GRAPHQL_MAX_COST: limit(50_000).describe(
    'maximum fields that an operation may resolve, multiplied by the sizes of their lists',
  ),
});

/**
 * Lists the name, default and description of every variable, for `serve --help`. The default is empty if there is none.
 */
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
