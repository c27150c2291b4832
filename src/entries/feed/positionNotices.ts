// Notifies all processes of the database that sites have changes with new positions (docs/changes.md). NOTIFY holds a
// lock of the whole server until its transaction ends, so it runs after the positions are committed, for many sites at
// once, in a transaction that does not wait for the disk. A poll makes up for a lost notification (liveChanges.ts).
import type { DatabaseClient } from '../../database/client.ts';

/** The least time between two notifications, during which sites are collected for the next one. In milliseconds. */
const noticeInterval = 25;

export class PositionNotices {
  readonly #db: Pick<DatabaseClient, '$queryRaw'>;
  readonly #onError: (error: unknown) => void;
  readonly #sites = new Set<string>();
  /**
   * Resolves when no more sites wait for a notification; null if none is being sent, so that one may be sent at once.
   */
  #sending: Promise<void> | null = null;
  #endPause: () => void = () => undefined;
  #isClosed = false;

  constructor(db: Pick<DatabaseClient, '$queryRaw'>, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
  }

  /** Notifies of a site: at once, or together with others if there was a notification just before. */
  placed(site: string): void {
    this.#sites.add(site);
    this.#sending ??= this.#send();
  }

  /** Sends the notification of the collected sites. Resolves when it is sent, or has failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#sending;
  }

  /** Sends notifications, one after the other, until no site is left. */
  async #send(): Promise<void> {
    while (this.#sites.size > 0) {
      const sites = [...this.#sites];
      this.#sites.clear();
      await Promise.all([notifyOfPositions(this.#db, sites).catch(this.#onError), this.#pause()]);
    }
    this.#sending = null;
  }

  /** Resolves when the next notification may be sent: at once after `close`. */
  #pause(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, noticeInterval).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Notifies all processes that sites have new positions. */
export async function notifyOfPositions(
  db: Pick<DatabaseClient, '$queryRaw'>,
  sites: readonly string[],
): Promise<void> {
  await db.$queryRaw`
    SELECT set_config('synchronous_commit', 'off', TRUE), count(pg_notify('entryway', jsonb_build_array('changes', s.site)::text))::int AS told
    FROM unnest(${[...sites]}::text[]) AS s (site)`;
}
