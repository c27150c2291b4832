// The readers of one site's changes who see the same (docs/contract.md §9.2). Those of them who are at the same place of the feed
// share each look, and the text that is made of it. A look that finds nothing moves them on without any of them being woken.
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../database/databaseErrors.ts';
import { ServiceError } from '../../base/errors.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { Group, merge, Seat, unlooked, type Left, type Look, type Writing } from './seats.ts';

export interface ReadershipParts<Written extends Writing> {
  /** Looks behind a place; null: behind the oldest change that is kept. @param limit how many changes it reads */
  readonly look: (place: string | null, limit: number) => Promise<Look<Written>>;
  /** How many changes a look reads at first. */
  readonly limit: number;
  /** Calls a function each time that the site may have new changes. @returns ends that */
  readonly watch: (onChanges: () => void) => () => void;
}

/** How long a text is passed on, in milliseconds, as below: for readers whose turn comes later, it would be too old. */
const maxAge = 500;
/** How many readers are passed a text in one turn of the event loop, and how many bytes they take together. */
const maxToldTogether = 32;
const maxBytesTogether = 262_144;
/** How long readers wait before the next look where the database could not be asked. */
const busyPause = 500;
/** After how long readers look again whom no notification has woken. */
const maxUnlooked = 15_000;

export class Readership<Written extends Writing> {
  readonly #parts: ReadershipParts<Written>;
  readonly #groups = new Map<string | null, Group<Written>>();
  readonly #unwatch: () => void;
  readonly #timer: NodeJS.Timeout;
  /** The group that the last look has led to: it stays while its readers are on their way. */
  #head: Group<Written> | null = null;
  #wakes = 0;

  constructor(parts: ReadershipParts<Written>) {
    this.#parts = parts;
    const wake = (): void => this.#wake();
    this.#unwatch = parts.watch(wake);
    this.#timer = setInterval(wake, maxUnlooked).unref();
  }

  /**
   * Waits for what comes behind a place: at once, if there is something.
   * @param wake is called when the seat has been given something
   */
  sit(place: string | null, wake: () => void): Seat<Written> {
    const group = this.#groupAt(place);
    const seat = new Seat(group, wake);
    this.#follow(group);
    return seat;
  }

  /** Ends it, when its last reader has left. */
  close(): void {
    this.#unwatch();
    clearInterval(this.#timer);
  }

  #wake(): void {
    this.#wakes += 1;
    for (const group of this.#groups.values()) this.#follow(group);
  }

  #groupAt(place: string | null): Group<Written> {
    const group = this.#groups.get(place) ?? new Group<Written>(place, this.#parts.limit);
    this.#groups.set(place, group);
    return group;
  }

  #follow(group: Group<Written>): void {
    if (group.isLooking || !this.#hasToLook(group)) return;
    group.isLooking = true;
    void this.#lookOn(group).finally(() => {
      group.isLooking = false;
      if (group.isMerged) return;
      // Somebody may have come meanwhile.
      if (this.#hasToLook(group)) this.#follow(group);
      else this.#dropIdle(group);
    });
  }

  #hasToLook({ seats, seen }: Group<Written>): boolean {
    return seats.size > 0 && seen !== this.#wakes;
  }

  #dropIdle(group: Group<Written>): void {
    if (group.seats.size > 0 || group === this.#head) return;
    if (this.#groups.get(group.place) === group) this.#groups.delete(group.place);
  }

  async #lookOn(group: Group<Written>): Promise<void> {
    while (this.#hasToLook(group)) {
      await group.arrival;
      const wakes = this.#wakes;
      try {
        const look = await this.#parts.look(group.place, group.limit);
        // Its readers are in another group, which looks for itself.
        if (group.isMerged) return;
        if (look.written === null) this.#move(group, look, wakes);
        else await this.#tell(group, look, look.written, wakes);
      } catch (error) {
        if (isBusy(error)) await sleep(busyPause);
        else if (isTooLarge(error) && group.limit > 1) group.limit = Math.ceil(group.limit / 4);
        else await this.#fail(group, error);
      }
    }
  }

  #fail(group: Group<Written>, thrown: unknown): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return this.#give(group, { look: null, error, place: group.place, makeCursor: null }, 0, Infinity);
  }

  /** Moves a group on that has found nothing. Where there are readers already, it joins them. */
  #move(group: Group<Written>, { place, makeCursor, more }: Look<Written>, wakes: number): void {
    group.makeCursor = makeCursor;
    group.seen = more ? unlooked : wakes;
    const others = this.#groups.get(place);
    if (others === group) return;
    this.#groups.delete(group.place);
    group.place = place;
    const stays = others === undefined ? group : merge(group, others);
    this.#groups.set(place, stays);
    this.#setHead(stays);
    if (stays !== group) this.#follow(stays);
  }

  /** Passes a text on to the readers of a group, who go on behind it. */
  async #tell(group: Group<Written>, look: Look<Written>, written: Written, wakes: number): Promise<void> {
    const next = this.#groupAt(look.place);
    next.makeCursor = look.makeCursor;
    next.limit = Math.min(next.limit, group.limit);
    next.seen = look.more ? unlooked : Math.max(next.seen, wakes);
    this.#setHead(next);
    const { place, makeCursor } = group;
    const telling = this.#give(
      group,
      { look, error: null, place, makeCursor },
      written.bytes,
      performance.now() + maxAge,
    );
    // Its next look is for all who are told now, and not for the first of them alone.
    if (next.seats.size === 0) next.arrival = telling;
    await telling;
    // Whoever is left gets a new text.
    group.seen = unlooked;
  }

  #setHead(group: Group<Written>): void {
    const last = this.#head;
    this.#head = group;
    if (last !== null && last !== group && !last.isLooking) this.#dropIdle(last);
  }

  /** Gives something to the readers of a group, to a few in each turn of the event loop, until a time. */
  async #give(group: Group<Written>, given: Left<Written>, bytes: number, until: number): Promise<void> {
    const together = Math.max(Math.min(maxToldTogether, Math.floor(maxBytesTogether / Math.max(bytes, 1))), 1);
    do {
      for (const seat of [...takeFirst(group.seats, together)]) seat.give(given);
      await nextTurn();
    } while (group.seats.size > 0 && performance.now() < until);
  }
}

function* takeFirst<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count;
  for (const item of items) {
    if (left === 0) return;
    left -= 1;
    yield item;
  }
}

function isBusy(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.code === 'unavailable');
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'answer_too_large';
}
