// Records the times at which tokens and sessions were last used, to within ten minutes. Uses are noted in memory and
// written in batches, so that no request waits for such a write.
import { Poller } from '../base/poller.ts';
import type { DatabaseClient } from '../database/client.ts';

/** The shortest time between two written uses. */
const resolutionMilliseconds = 10 * 60_000;
const writeIntervalMilliseconds = 30_000;
/** The number of written uses that are remembered. Forgetting them costs one more write per token. */
const maxRemembered = 10_000;

type CredentialKind = 'token' | 'session';

interface Use {
  readonly kind: CredentialKind;
  readonly id: string;
  readonly siteId: string;
  readonly at: Date;
}

export class LastUsed {
  readonly #prisma: DatabaseClient;
  readonly #onError: (error: unknown) => void;
  /** The time of the last use that was written or is about to be, by key. */
  readonly #written = new Map<string, number>();
  #uses = new Map<string, Use>();
  readonly #poller: Poller;

  /**
   * Starts to write every 30 seconds.
   * @param onError receives the error if a batch could not be written; its uses are lost
   */
  constructor(prisma: DatabaseClient, onError: (error: unknown) => void) {
    this.#prisma = prisma;
    this.#onError = onError;
    // A batch that is never confirmed must not hold up the next one.
    this.#poller = new Poller({ every: writeIntervalMilliseconds, poll: () => void this.flush(), onError });
  }

  /** Notes a use. @param siteId the site of a session; the ids of tokens are unique without it */
  note(kind: CredentialKind, id: string, at: Date, siteId = ''): void {
    const key = `${kind} ${siteId} ${id}`;
    if (at.getTime() - (this.#written.get(key) ?? 0) < resolutionMilliseconds) return;
    if (this.#written.size >= maxRemembered) this.#written.clear();
    this.#written.set(key, at.getTime());
    this.#uses.set(key, { kind, id, siteId, at });
  }

  /** Writes the uses noted since the last call. Does not reject: errors go to `onError`. */
  async flush(): Promise<void> {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    try {
      for (const { kind, id, siteId, at } of uses) {
        const data = { lastUsedAt: at };
        if (kind === 'token') await this.#prisma.token.updateMany({ where: { id }, data });
        else await this.#prisma.session.updateMany({ where: { siteId, id }, data });
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Stops, and writes the uses noted so far. */
  async close(): Promise<void> {
    await this.#poller.close();
    await this.flush();
  }
}
