// Runs statements on PGlite, one after the other, and detects its fatal failures. PostgreSQL ends its process when it
// cannot write its log (severity PANIC, usually because the disk is full). PGlite runs in our process, which goes on:
// the next query would make the failed PostgreSQL hang in a busy loop, so that it must not receive one.
import { setFlagsFromString } from 'node:v8';
import { PGlite, types, type PGliteOptions, type Results } from '@electric-sql/pglite';

/**
 * Flags of V8 for PostgreSQL's WebAssembly, of which a command uses little: hot functions are optimized later than
 * usual, and by one task at a time. This saves 0.6 of 2.5 seconds of processor time at a start, and costs a longer
 * process nothing.
 */
export const webAssemblyFlags = ['--wasm-tiering-budget=100000000', '--wasm-num-compilation-tasks=1'];

/**
 * PostgreSQL's own cache of its files: all of it is memory of this process from the start. Pages outside of it come
 * from the system's cache. PostgreSQL's default is 128 MB.
 */
const sharedBuffers = '32MB';

/**
 * ANALYZE reads 300 rows per unit into memory, which PGlite never returns, and blocks all other statements: with
 * PostgreSQL's default of 100, it took 92 MB and 390 ms for 33,000 entries; with this value 24 MB and 160 ms.
 */
const statisticsTarget = 25;

const startParams = [
  ...PGlite.defaultStartParams,
  '-c',
  `shared_buffers=${sharedBuffers}`,
  '-c',
  `default_statistics_target=${statisticsTarget}`,
];

/**
 * The requests to a host. `query` is one statement; `exec` is one or several without parameters; `listen` names a
 * channel.
 */
export type HostRequest =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'exec'; readonly sql: string }
  | { readonly kind: 'listen'; readonly channel: string };

/** The result of a statement, with all values as the texts that PostgreSQL sends. */
export type TextResults = Results<(string | null)[]>;

/**
 * Receives the notifications of the channels that are listened on. They come before the result of the statement that
 * sent them.
 */
export type NotificationListener = (channel: string, payload: string) => void;

/** Receives events that are not the result of a statement. */
export interface HostListener {
  readonly onNotification: NotificationListener;
  /** Called when the database has ended by itself. Pending statements fail with the same error. */
  readonly onLost: (error: DatabaseLostError) => void;
}

/** Runs statements in the order in which they were sent. */
export interface PgliteHost {
  /** @throws {DatabaseLostError} once PostgreSQL has failed fatally */
  run(request: HostRequest): Promise<readonly TextResults[]>;
  close(): Promise<void>;
}

const diskAdvice = 'Make room on the disk of DATA_DIR if that is full, and start again';

/** The embedded database failed fatally. Its files hold every commit that it acknowledged. */
export class DatabaseLostError extends Error {
  /** @param advice the remedy, without a full stop */
  constructor(cause: Error, advice = diskAdvice) {
    super(`The embedded database ended: ${cause.message}. ${advice}: nothing that was acknowledged is lost.`, {
      cause,
    });
    this.name = 'DatabaseLostError';
  }
}

/** Opens a database in this thread, which is blocked while a statement runs. */
export async function openHost(
  options: PGliteOptions,
  { onNotification }: Pick<HostListener, 'onNotification'>,
): Promise<PgliteHost> {
  for (const flag of webAssemblyFlags) setFlagsFromString(flag);
  const pglite = new GuardedPglite(options);
  await pglite.waitReady;
  const asText = (value: string): string => value;
  pglite.parsers = Object.fromEntries(Object.keys(types.parsers).map((type) => [type, asText]));
  return {
    run: async (request) => {
      switch (request.kind) {
        case 'query':
          return [await pglite.query(request.sql, [...request.parameters], { rowMode: 'array' })];
        case 'exec':
          return (await pglite.exec(request.sql, { rowMode: 'array' })) as TextResults[];
        case 'listen':
          await pglite.listen(request.channel, (payload) => onNotification(request.channel, payload));
          return [];
      }
    },
    close: () => pglite.close(),
  };
}

/** A PGlite that refuses every query once its PostgreSQL has failed fatally. */
class GuardedPglite extends PGlite {
  #lost: DatabaseLostError | null = null;

  constructor(options: PGliteOptions) {
    super({ startParams, ...options });
  }

  override execProtocol(...request: Parameters<PGlite['execProtocol']>): ReturnType<PGlite['execProtocol']> {
    return this.#failIfLost(() => super.execProtocol(...request));
  }

  override execProtocolStream(
    ...request: Parameters<PGlite['execProtocolStream']>
  ): ReturnType<PGlite['execProtocolStream']> {
    return this.#failIfLost(() => super.execProtocolStream(...request));
  }

  override async close(): Promise<void> {
    if (this.#lost === null) await super.close();
  }

  async #failIfLost<T>(run: () => Promise<T>): Promise<T> {
    if (this.#lost) throw this.#lost;
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Error && isFatal(error))) throw error;
      this.#lost = new DatabaseLostError(error);
      throw this.#lost;
    }
  }
}

/** Whether PostgreSQL reports that it ends, or its WebAssembly code trapped. */
function isFatal(error: Error): boolean {
  return error.name === 'RuntimeError' || ('severity' in error && error.severity === 'PANIC');
}
