// Tells all processes of the database that sites have changes with new places (docs/changes.md). A notification takes a lock of the
// whole server until its transaction ends, so it goes out after the places are committed, for many sites at once, in a transaction
// that does not wait for the disk. One that is lost is made up for by a look (liveChanges.ts).
import type { DatabaseClient } from '../../database/client.ts';

/** For so long after a notice sites are collected for the next one. In milliseconds. */
const noticeInterval = 25;

export class PlaceNotices {
  readonly #db: Pick<DatabaseClient, '$queryRaw'>;
  readonly #onError: (error: unknown) => void;
  readonly #sites = new Set<string>();
  /** Ends when the notice that is sent has been, and no sooner than the next one may be; null: one may be sent now. */
  #sending: Promise<void> | null = null;
  #endPause: () => void = () => undefined;
  #isClosed = false;

  constructor(db: Pick<DatabaseClient, '$queryRaw'>, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
  }

  /** Tells of a site: at once, or together with others where there was a notice just before. */
  placed(site: string): void {
    this.#sites.add(site);
    this.#sending ??= this.#send();
  }

  /** Sends what is collected. Resolves when it is sent, or has failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#sending;
  }

  /** Sends notices, one after the other, until there is nothing to tell. */
  async #send(): Promise<void> {
    while (this.#sites.size > 0) {
      const sites = [...this.#sites];
      this.#sites.clear();
      await Promise.all([tellOfPlaces(this.#db, sites).catch(this.#onError), this.#pause()]);
    }
    this.#sending = null;
  }

  /** Resolves when the next notice may be sent: at once, when this is closed. */
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

/** Tells all processes that sites have new places. */
export async function tellOfPlaces(db: Pick<DatabaseClient, '$queryRaw'>, sites: readonly string[]): Promise<void> {
  await db.$queryRaw`
    SELECT set_config('synchronous_commit', 'off', TRUE), count(pg_notify('entryway', jsonb_build_array('changes', s.site)::text))::int AS told
    FROM unnest(${[...sites]}::text[]) AS s (site)`;
}
