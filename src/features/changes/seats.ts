// Where readers of changes wait (docs/contract.md §9.2): in groups of those who are at the same place.

/** What readers are sent. */
export interface Writing {
  /** How many bytes it has. */
  readonly bytes: number;
}

/** What a look at the changes behind a place has found. */
export interface Look<Written extends Writing> {
  /** null: nothing that its readers may see. */
  readonly written: Written | null;
  /** The place behind what was found, the same text for all. It is never sent: to the public, equal cursors would tell. */
  readonly place: string;
  /** Makes the cursor of the place that a reader is sent. */
  readonly makeCursor: () => string;
  readonly more: boolean;
}

/** No look has shown yet that there is nothing behind the place. */
export const unlooked = -1;

/** Readers at the same place. */
export class Group<Written extends Writing> {
  place: string | null;
  limit: number;
  /** How many times the readership had been woken when the last look began that led here, or found nothing here. */
  seen = unlooked;
  makeCursor: (() => string) | null = null;
  /** Those who come here are on their way until it resolves. */
  arrival: Promise<void> = Promise.resolve();
  isLooking = false;
  isMerged = false;
  readonly seats = new Set<Seat<Written>>();

  constructor(place: string | null, limit: number) {
    this.place = place;
    this.limit = limit;
  }
}

/** What a reader leaves with. */
export interface Left<Written extends Writing> {
  /** null: nothing has come. */
  readonly look: Look<Written> | null;
  /** What the look threw; null: it did not. */
  readonly error: Error | null;
  /** The place that the reader was at before the look. */
  readonly place: string | null;
  /** Makes a cursor of this place; null: no look has been made yet. */
  readonly makeCursor: (() => string) | null;
}

/** A reader that waits. */
export class Seat<Written extends Writing> {
  group: Group<Written>;
  readonly #wake: () => void;
  #given: Left<Written> | null = null;

  constructor(group: Group<Written>, wake: () => void) {
    this.group = group;
    this.#wake = wake;
    group.seats.add(this);
  }

  give(given: Left<Written>): void {
    this.#given = given;
    this.group.seats.delete(this);
    this.#wake();
  }

  /** Ends the waiting. */
  leave(): Left<Written> {
    if (this.#given !== null) return this.#given;
    this.group.seats.delete(this);
    const { place, makeCursor } = this.group;
    return { look: null, error: null, place, makeCursor };
  }
}

/** Moves the readers of the smaller of two groups at the same place to the other one, and returns that. */
export function merge<Written extends Writing>(one: Group<Written>, other: Group<Written>): Group<Written> {
  const [stays, goes] = one.seats.size > other.seats.size ? [one, other] : [other, one];
  for (const seat of goes.seats) {
    seat.group = stays;
    stays.seats.add(seat);
  }
  goes.seats.clear();
  goes.isMerged = true;
  stays.seen = Math.max(stays.seen, goes.seen);
  stays.makeCursor ??= goes.makeCursor;
  return stays;
}
