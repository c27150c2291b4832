// The readers of one site's changes with the same access (docs/contract.md §9.2). Readers at the same position of the
// feed share each poll, and the text that is made from it. After a poll without visible changes they stand at a later
// position, and none of them is woken.
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../database/databaseErrors.ts';
import { ServiceError } from '../../base/errors.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { Group, merge, Seat, unpolled, type Outcome, type PollResult, type Writing } from './seats.ts';

export interface ReadershipOptions<Written extends Writing> {
  /** Polls after a position; null for the oldest change that is kept. @param limit the number of changes to read */
  readonly poll: (position: string | null, limit: number) => Promise<PollResult<Written>>;
  /** Number of changes that a poll reads at first. */
  readonly limit: number;
  /** Calls a function each time that the site may have new changes. @returns a function that ends this */
  readonly watch: (onChanges: () => void) => () => void;
}

/** The time for which a text is passed on to readers, in milliseconds, as below: after it, the text is outdated. */
const maxAge = 500;
/** Maximum number of readers, and of their bytes, that receive a text in one turn of the event loop. */
const maxTogether = 32;
const maxBytesTogether = 262_144;
/** Pause before the next poll if the database is unavailable. */
const busyPause = 500;
/** Interval of polls without a notification. */
const maxUnpolled = 15_000;

export class Readership<Written extends Writing> {
  readonly #options: ReadershipOptions<Written>;
  readonly #groups = new Map<string | null, Group<Written>>();
  readonly #unwatch: () => void;
  readonly #timer: NodeJS.Timeout;
  /** The group of the latest position. It is kept without readers, because those that got a text come back to it. */
  #head: Group<Written> | null = null;
  #wakes = 0;

  constructor(options: ReadershipOptions<Written>) {
    this.#options = options;
    const wake = (): void => this.#wake();
    this.#unwatch = options.watch(wake);
    this.#timer = setInterval(wake, maxUnpolled).unref();
  }

  /**
   * Waits for changes after a position; resolves at once if there are some.
   * @param wake called when the seat has received something
   */
  sit(position: string | null, wake: () => void): Seat<Written> {
    const group = this.#groupAt(position);
    const seat = new Seat(group, wake);
    this.#follow(group);
    return seat;
  }

  /** Closes the readership after its last reader has left. */
  close(): void {
    this.#unwatch();
    clearInterval(this.#timer);
  }

  #wake(): void {
    this.#wakes += 1;
    for (const group of this.#groups.values()) this.#follow(group);
  }

  #groupAt(position: string | null): Group<Written> {
    const group = this.#groups.get(position) ?? new Group<Written>(position, this.#options.limit);
    this.#groups.set(position, group);
    return group;
  }

  #follow(group: Group<Written>): void {
    if (group.isPolling || !this.#hasToPoll(group)) return;
    group.isPolling = true;
    void this.#pollOn(group).finally(() => {
      group.isPolling = false;
      if (group.isMerged) return;
      // A reader may have joined meanwhile.
      if (this.#hasToPoll(group)) this.#follow(group);
      else this.#dropIdle(group);
    });
  }

  #hasToPoll({ seats, seen }: Group<Written>): boolean {
    return seats.size > 0 && seen !== this.#wakes;
  }

  #dropIdle(group: Group<Written>): void {
    if (group.seats.size > 0 || group === this.#head) return;
    if (this.#groups.get(group.position) === group) this.#groups.delete(group.position);
  }

  async #pollOn(group: Group<Written>): Promise<void> {
    while (this.#hasToPoll(group)) {
      await group.arrival;
      const wakes = this.#wakes;
      try {
        const result = await this.#options.poll(group.position, group.limit);
        // The readers are in another group by now, which polls by itself.
        if (group.isMerged) return;
        if (result.written === null) this.#move(group, result, wakes);
        else await this.#deliver(group, result, result.written, wakes);
      } catch (error) {
        if (isBusy(error)) await sleep(busyPause);
        else if (isTooLarge(error) && group.limit > 1) group.limit = Math.ceil(group.limit / 4);
        else await this.#fail(group, error);
      }
    }
  }

  #fail(group: Group<Written>, thrown: unknown): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return this.#give(group, { result: null, error, position: group.position, makeCursor: null }, 0, Infinity);
  }

  /**
   * Moves a group to a later position after a poll without a result, and merges it with a group that is there already.
   */
  #move(group: Group<Written>, { position, makeCursor, more }: PollResult<Written>, wakes: number): void {
    group.makeCursor = makeCursor;
    group.seen = more ? unpolled : wakes;
    const others = this.#groups.get(position);
    if (others === group) return;
    this.#groups.delete(group.position);
    group.position = position;
    const stays = others === undefined ? group : merge(group, others);
    this.#groups.set(position, stays);
    this.#setHead(stays);
    if (stays !== group) this.#follow(stays);
  }

  /** Passes a text on to the readers of a group, which then continue after it. */
  async #deliver(group: Group<Written>, result: PollResult<Written>, written: Written, wakes: number): Promise<void> {
    const next = this.#groupAt(result.position);
    next.makeCursor = result.makeCursor;
    next.limit = Math.min(next.limit, group.limit);
    next.seen = result.more ? unpolled : Math.max(next.seen, wakes);
    this.#setHead(next);
    const { position, makeCursor } = group;
    const delivery = this.#give(
      group,
      { result, error: null, position, makeCursor },
      written.bytes,
      performance.now() + maxAge,
    );
    // The next poll is for all of these readers, not for the first of them alone.
    if (next.seats.size === 0) next.arrival = delivery;
    await delivery;
    // The remaining readers get a new text.
    group.seen = unpolled;
  }

  #setHead(group: Group<Written>): void {
    const last = this.#head;
    this.#head = group;
    if (last !== null && last !== group && !last.isPolling) this.#dropIdle(last);
  }

  /** Passes content to the readers of a group, to a few in each turn of the event loop, until a time. */
  async #give(group: Group<Written>, outcome: Outcome<Written>, bytes: number, until: number): Promise<void> {
    const together = Math.max(Math.min(maxTogether, Math.floor(maxBytesTogether / Math.max(bytes, 1))), 1);
    do {
      for (const seat of [...takeFirst(group.seats, together)]) seat.give(outcome);
      await nextTurn();
    } while (group.seats.size > 0 && performance.now() < until);
  }
}

function* takeFirst<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let remaining = count;
  for (const item of items) {
    if (remaining === 0) return;
    remaining -= 1;
    yield item;
  }
}

function isBusy(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.code === 'unavailable');
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'answer_too_large';
}
