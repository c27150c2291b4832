// The waiting readers of changes (docs/contract.md §9.2), in groups with the same position.

/** Content for readers. */
export interface Writing {
  /** Its size in bytes. */
  readonly bytes: number;
}

/** The result of a poll for the changes after a position. */
export interface PollResult<Written extends Writing> {
  /** Null if there is nothing that its readers may see. */
  readonly written: Written | null;
  /**
   * The position after the result, a text that is equal for all. It is never sent: to the public, equal cursors would
   * reveal that nothing happened.
   */
  readonly position: string;
  /** Makes the cursor of the position to send to a reader. */
  readonly makeCursor: () => string;
  readonly more: boolean;
}

/** No poll has shown yet that there is nothing after the position. */
export const unpolled = -1;

/** Readers at the same position. */
export class Group<Written extends Writing> {
  position: string | null;
  limit: number;
  /** The number of the readership's wake-ups when the last poll began that led here, or had no result here. */
  seen = unpolled;
  makeCursor: (() => string) | null = null;
  /** Readers that come here are on their way until it resolves. */
  arrival: Promise<void> = Promise.resolve();
  isPolling = false;
  isMerged = false;
  readonly seats = new Set<Seat<Written>>();

  constructor(position: string | null, limit: number) {
    this.position = position;
    this.limit = limit;
  }
}

/** The outcome with which a reader leaves. */
export interface Outcome<Written extends Writing> {
  /** Null if nothing has come. */
  readonly result: PollResult<Written> | null;
  /** The error of the poll; null without one. */
  readonly error: Error | null;
  /** The position of the reader before the poll. */
  readonly position: string | null;
  /** Makes a cursor of this position; null before the first poll. */
  readonly makeCursor: (() => string) | null;
}

/** A waiting reader. */
export class Seat<Written extends Writing> {
  group: Group<Written>;
  readonly #wake: () => void;
  #outcome: Outcome<Written> | null = null;

  constructor(group: Group<Written>, wake: () => void) {
    this.group = group;
    this.#wake = wake;
    group.seats.add(this);
  }

  give(outcome: Outcome<Written>): void {
    this.#outcome = outcome;
    this.group.seats.delete(this);
    this.#wake();
  }

  /** Ends the waiting. */
  leave(): Outcome<Written> {
    if (this.#outcome !== null) return this.#outcome;
    this.group.seats.delete(this);
    const { position, makeCursor } = this.group;
    return { result: null, error: null, position, makeCursor };
  }
}

/** Moves the readers of the smaller of two groups at the same position to the other one, and returns that. */
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
