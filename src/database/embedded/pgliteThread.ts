// Runs PGlite in a thread of its own, so that a long statement delays only requests that wait for the database.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PGliteOptions } from '@electric-sql/pglite';
import { DatabaseLostError, type HostListener, type PgliteHost, type TextResults } from './pgliteHost.ts';
import { restoreError, type ThreadMessage, type ThreadRequest } from './pgliteMessages.ts';

interface Pending {
  readonly id: number;
  readonly resolve: (results: readonly TextResults[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** Opens a database in a new thread, which ends with the database. */
export async function openHostInThread(options: PGliteOptions, listener: HostListener): Promise<PgliteHost> {
  const thread = new PgliteThread(listener);
  try {
    await thread.send({ kind: 'open', options });
  } catch (error) {
    await thread.end();
    throw error;
  }
  return {
    run: (request) => thread.send(request),
    close: async () => {
      try {
        await thread.send({ kind: 'close' });
      } catch (error) {
        // A lost database has nothing to close.
        if (!(error instanceof DatabaseLostError)) throw error;
      } finally {
        await thread.end();
      }
    },
  };
}

class PgliteThread {
  readonly #worker = startWorker();
  /**
   * The unanswered requests, oldest first. A map that each request fills and empties would leave garbage
   * (src/http/unsent.ts).
   */
  #pending: Pending[] = [];
  #lastId = 0;
  readonly #onLost: HostListener['onLost'];
  /** The reason that requests are refused; null if they are not. */
  #ended: Error | null = null;

  constructor({ onNotification, onLost }: HostListener) {
    this.#onLost = onLost;
    // The process may end while the thread is idle, but not while it waits for an answer.
    this.#worker.unref();
    this.#worker.on('message', (message: ThreadMessage) => {
      if ('channel' in message) onNotification(message.channel, message.payload);
      else this.#settle(message);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('messageerror', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`its thread ended with code ${code}`)));
  }

  send(request: ThreadRequest['request']): Promise<readonly TextResults[]> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = (this.#lastId += 1);
      // Throws if a value cannot be copied.
      this.#worker.postMessage({ id, request } satisfies ThreadRequest);
      if (this.#pending.length === 0) this.#worker.ref();
      this.#pending.push({ id, resolve, reject });
    });
  }

  async end(): Promise<void> {
    this.#ended ??= new Error('PGlite is closed');
    await this.#worker.terminate();
  }

  #settle(message: Exclude<ThreadMessage, { channel: string }>): void {
    const at = this.#pending.findIndex(({ id }) => id === message.id);
    const [pending] = at < 0 ? [] : this.#pending.splice(at, 1);
    if (this.#pending.length === 0) this.#worker.unref();
    if ('failure' in message) pending?.reject(restoreError(message.failure));
    else pending?.resolve(message.results);
  }

  #fail(cause: Error): void {
    if (this.#ended === null) {
      const lost = new DatabaseLostError(cause, 'Start the service again');
      this.#ended = lost;
      this.#onLost(lost);
    }
    for (const { reject } of this.#pending) reject(this.#ended);
    this.#pending = [];
  }
}

function startWorker(): Worker {
  // Without flags and variables: modules that they preload, such as tracing, would run twice.
  const options = { name: 'embedded database', execArgv: [], env: {} };
  const extension = extname(import.meta.url);
  const file = new URL(`./pgliteWorker${extension}`, import.meta.url);
  if (extension === '.js') return new Worker(file, options);
  // A developer or a test runs the source: threads of Node.js do not read TypeScript by themselves.
  const [tsx, source] = [import.meta.resolve('tsx/esm/api'), file.href].map((each) => JSON.stringify(each));
  const code = `import(${tsx}).then(({ tsImport }) => tsImport(${source}, ${source}));`;
  return new Worker(code, { ...options, eval: true });
}
