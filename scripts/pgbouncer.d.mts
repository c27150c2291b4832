/** See pgbouncer.mjs. */
export interface Pgbouncer {
  readonly through: (databaseUrl: string) => string;
  readonly reconnect: () => Promise<void>;
  readonly stop: () => Promise<void>;
}
export function startPgbouncer(
  program: string,
  serverUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<Pgbouncer>;
