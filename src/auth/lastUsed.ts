// When tokens and sessions were last used, coarsely: noted in memory, written now and then, off the request's way.
import type { PrismaClient } from '../generated/prisma/client.ts';

/** A use is written where the last one written is older than this, in milliseconds. */
const resolution = 10 * 60_000;
/** How often notes are written, in milliseconds. */
const interval = 30_000;

type Kind = 'token' | 'session';
interface Note {
  readonly kind: Kind;
  readonly id: string;
  readonly siteId: string;
  readonly at: Date;
}

export class LastUsed {
  readonly #prisma: PrismaClient;
  readonly #onError: (error: unknown) => void;
  readonly #written = new Map<string, number>();
  #notes = new Map<string, Note>();
  readonly #timer: NodeJS.Timeout;

  /** @param onError told of what kept a batch from being written; its notes are lost, which costs only precision */
  constructor(prisma: PrismaClient, onError: (error: unknown) => void) {
    this.#prisma = prisma;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.flush(), interval);
    this.#timer.unref();
  }

  /** Notes a use. Sessions name their site. */
  note(kind: Kind, id: string, at: Date, siteId = ''): void {
    const key = `${kind} ${siteId} ${id}`;
    if (at.getTime() - (this.#written.get(key) ?? 0) < resolution) return;
    if (this.#written.size >= 10_000) this.#written.clear();
    this.#written.set(key, at.getTime());
    this.#notes.set(key, { kind, id, siteId, at });
  }

  /** Writes what was noted. */
  async flush(): Promise<void> {
    const notes = [...this.#notes.values()];
    this.#notes = new Map();
    try {
      for (const { kind, id, siteId, at } of notes) {
        const data = { lastUsedAt: at };
        if (kind === 'token') await this.#prisma.token.updateMany({ where: { id }, data });
        else await this.#prisma.session.updateMany({ where: { siteId, id }, data });
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
