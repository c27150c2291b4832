// The configuration: environment variables, checked once at the start, into one frozen object.
import { z } from 'zod';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

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
}>;

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
  });
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
