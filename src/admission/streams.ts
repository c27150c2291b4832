// Requests that are held open: long polls and streams (docs/contract.md §9.2). While one waits, it holds no turn of its caller,
// no connection to the database and no lock. What its caller's rights rest on is looked at several times a second.
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { StreamLimits } from '../config/config.ts';
import { fail, ServiceError } from '../base/errors.ts';
import { nextTurn } from '../base/eventLoop.ts';
import { Poller } from '../base/poller.ts';
import type { Caller } from '../rules/callers.ts';

/** Why a request is not held any longer: it is refused now, the service stops, or its client is gone. */
export type HoldEnd = ServiceError | 'stopping' | 'gone';

/** A request that is to be held. */
export interface HeldRequest {
  /** Whose it is: a token, and for a public token an address. */
  readonly caller: string;
  /** The token, where many callers have the same one. */
  readonly sharedToken: string | null;
  readonly response: ServerResponse;
  /** Looks at the caller's rights again. @throws ServiceError where they have ended */
  readonly renewRights: () => Promise<{ readonly caller: Caller }>;
}

/** How often rights are looked at, and how long they count where the database can't be asked, in milliseconds as below. */
const checkInterval = 300;
const maxUnproven = 5_000;
/** How many are looked at together: where the caches can't be used, each of them asks the database. */
const checkedTogether = 50;
/** How long a request that is held no longer may take to end, before its connection is closed: a reader may not be reading. */
const maxEnding = { refused: 500, stopping: 2_000 };

/** A request that is held open until it is closed. */
export class Hold {
  readonly #request: HeldRequest;
  readonly #onClose: () => void;
  #provenAt = performance.now();
  #isWoken = false;
  #waitsAs: Caller | null = null;
  #endWait: () => void = () => undefined;
  #ended: HoldEnd | null = null;
  #isClosed = false;

  constructor(request: HeldRequest, onClose: () => void) {
    this.#request = request;
    this.#onClose = onClose;
    const { response } = request;
    // Silence is what is wanted of the connection.
    response.req.socket.setTimeout(0);
    response.once('close', () => {
      this.end('gone');
      this.close();
    });
  }

  /** Why it has ended; null: it goes on. */
  get ended(): HoldEnd | null {
    return this.#ended;
  }

  /** Waits until somebody wakes it, the hold has ended, or some milliseconds are over. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#isWoken && this.#ended === null) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#endWait = resolve;
        timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
    }
    this.#isWoken = false;
  }

  /** Says as whom it waits: it is woken once its caller has other rights, which nobody else would tell it. */
  waitAs(caller: Caller): void {
    this.#waitsAs = caller;
  }

  /** Ends the present wait, or the next one. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#endWait();
  };

  /** Ends it. Where its request is not answered soon, its connection is closed. */
  end(reason: HoldEnd): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#endWait();
    setTimeout(
      () => {
        if (!this.#isClosed) this.#request.response.destroy();
      },
      reason === 'stopping' ? maxEnding.stopping : maxEnding.refused,
    ).unref();
  }

  /** Looks at the caller's rights, and ends where they have, or where nobody can tell for too long. */
  async check(): Promise<void> {
    try {
      const { caller } = await this.#request.renewRights();
      this.#provenAt = performance.now();
      if (this.#waitsAs !== null && !isDeepStrictEqual(caller, this.#waitsAs)) this.wake();
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) this.end(error);
      else if (performance.now() - this.#provenAt > maxUnproven) this.end(new ServiceError('unavailable'));
    }
  }

  /** Gives back what it holds, once however often it is called. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}

/** The requests that this process holds open. */
export class Streams {
  readonly #limits: StreamLimits;
  readonly #held = new Set<Hold>();
  readonly #counts = new Map<string, number>();
  readonly #poller: Poller;
  #isStopping = false;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
    const poll = (): Promise<void> => this.#checkAll();
    this.#poller = new Poller({ every: checkInterval, poll, onError: () => undefined });
  }

  /** How long the reader of a stream may take to read what was sent, in milliseconds. */
  get maxStalled(): number {
    return this.#limits.maxStalled;
  }

  /** Holds a request open. @throws rate_limited, unavailable where too many are held */
  hold(request: HeldRequest): Hold {
    const { caller, sharedToken } = request;
    const { perToken, perProcess } = this.#limits;
    if (this.#count(caller) >= perToken) {
      fail('rate_limited', {
        detail: `This caller has ${perToken} streams and long polls open, the most that are allowed. Close some first.`,
        headers: { 'Retry-After': '5' },
      });
    }
    const isFull = sharedToken !== null && this.#count(sharedToken) >= Math.ceil(perProcess / 2);
    if (isFull || this.#held.size >= perProcess) {
      fail('unavailable', {
        detail: 'Too many streams and long polls are open here. Try again later, or ask without waiting.',
        headers: { 'Retry-After': '5' },
      });
    }
    const keys = sharedToken === null ? [caller] : [caller, sharedToken];
    for (const key of keys) this.#counts.set(key, this.#count(key) + 1);
    const hold = new Hold(request, () => {
      this.#held.delete(hold);
      for (const key of keys) this.#release(key);
    });
    this.#held.add(hold);
    if (request.response.destroyed) {
      hold.end('gone');
      hold.close();
    }
    if (this.#isStopping) hold.end('stopping');
    return hold;
  }

  /** Ends all, and those that begin from now on at once: the service stops. */
  drain(): void {
    this.#isStopping = true;
    void this.#poller.close();
    for (const hold of [...this.#held]) hold.end('stopping');
  }

  async #checkAll(): Promise<void> {
    const all = [...this.#held];
    for (let at = 0; at < all.length; at += checkedTogether) {
      await Promise.all(all.slice(at, at + checkedTogether).map((hold) => hold.check()));
      // The caches answer at once: thousands in a row would hold up everybody else.
      await nextTurn();
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #release(key: string): void {
    const left = this.#count(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
