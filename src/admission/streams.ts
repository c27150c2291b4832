// Holds requests open: long polls and streams (docs/contract.md §9.2). A waiting one holds no slot of its caller, no
// connection to the database and no lock. The caller's token, session and membership are checked again every 300 ms.
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { StreamLimits } from '../config/config.ts';
import { fail, ServiceError } from '../base/errors.ts';
import { nextTurn } from '../base/eventLoop.ts';
import { Poller } from '../base/poller.ts';
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import type { Caller } from '../rules/callers.ts';

/** The reason for which a request is no longer held: it is refused now, the service stops, or its client is gone. */
export type HoldEnd = ServiceError | 'stopping' | 'gone';

/** A request that is to be held. */
export interface HeldRequest {
  /** Its caller: a token, and for a public token also an address. */
  readonly caller: string;
  /** The token if many callers share it; else null. */
  readonly sharedToken: string | null;
  readonly response: ServerResponse;
  /** Checks the caller's rights again. @throws ServiceError if they have ended */
  readonly renewRights: () => PromiseOrValue<{ readonly caller: Caller }>;
}

/** A held request, as its operation uses it. Features declare here what they add to it. */
export interface HeldOpen {
  readonly hold: Pick<Hold, 'ended' | 'wait' | 'waitAs' | 'wake' | 'close'>;
}

/**
 * The interval between checks of rights; below, the time for which a check counts while the database does not answer.
 * In milliseconds, as below.
 */
const checkInterval = 300;
const maxUnproven = 5_000;
/** The number of requests that are checked together: without the caches, each check queries the database. */
const checkedTogether = 50;
/** The time that a request has to end before its connection is closed: a reader may not be reading. */
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
    // A held request is idle by design: disable the socket timeout.
    response.req.socket.setTimeout(0);
    response.once('close', () => {
      this.end('gone');
      this.close();
    });
  }

  /** The reason of its end; null while it goes on. */
  get ended(): HoldEnd | null {
    return this.#ended;
  }

  /** Waits until `wake` is called, the hold has ended, or some milliseconds are over. */
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

  /**
   * Sets the caller on whose behalf it waits: a change of that caller's rights wakes it, of which nothing else would
   * notify it.
   */
  waitAs(caller: Caller): void {
    this.#waitsAs = caller;
  }

  /** Ends the present wait, or the next one. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#endWait();
  };

  /** Ends it. If its request is not answered soon, its connection is closed. */
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

  /** Checks the caller's rights, and ends the hold if they have ended, or cannot be checked for too long. */
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

  /** Releases its resources; further calls do nothing. */
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

  /** The longest time that the reader of a stream may take to read a part, in milliseconds. */
  get maxStalled(): number {
    return this.#limits.maxStalled;
  }

  /** Holds a request open. @throws rate_limited, unavailable if too many are held */
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

  /** Ends all, and later ones at once: the service stops. */
  drain(): void {
    this.#isStopping = true;
    void this.#poller.close();
    for (const hold of [...this.#held]) hold.end('stopping');
  }

  async #checkAll(): Promise<void> {
    const all = [...this.#held];
    for (let at = 0; at < all.length; at += checkedTogether) {
      await Promise.all(all.slice(at, at + checkedTogether).map((hold) => hold.check()));
      // The caches answer at once: thousands of checks in a row would block the event loop.
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
