// The budget of one request, however the request is spelled: its aliases, lists and bulks have it in common.
import { fail, ServiceError } from '../base/errors.ts';
import type { PromiseOrValue } from '../base/promiseOrValue.ts';

/** The number of references that one request may follow: those of 250 entries with 200 references each. */
const maxFollowed = 50_000;

/**
 * The work that the patterns of fields may do for one request: 0.2 seconds. Checking one entry twice never needs more,
 * however large its channel's patterns are.
 */
const maxPatternWork = 6_000_000;

/** The rest of a request's budget. */
export interface Budget {
  /** Takes references that are to be followed. @throws too_complex if the request follows too many */
  readonly takeReferences: (count: number) => void;
  /**
   * Takes rows that are to be read, in bytes, and waits while too many large answers are made.
   * @throws answer_too_large; unavailable after too long a wait
   */
  readonly takeRows: (bytes: number) => PromiseOrValue<void>;
  /** Waits as `takeRows` does, for a text of so many bytes that has another bound. @throws unavailable */
  readonly awaitText: (bytes: number) => PromiseOrValue<void>;
  /** Takes rows as `takeRows` does, without waiting. */
  readonly countRows: (bytes: number) => void;
  /**
   * Marks the beginning of work that may have to be repeated.
   * @returns a function that gives back everything taken since
   */
  readonly mark: () => () => void;
  /** Takes a part of the answer, in bytes of JSON, before it is made. @throws answer_too_large */
  readonly takeAnswer: (bytes: number) => void;
  /** Takes work of the patterns of fields. @throws too_complex if texts and patterns are too long together */
  readonly takePatternWork: (units: number) => void;
}

/**
 * The bytes of rows above which a request counts as one with a large answer. Many requests can hold this much at the
 * same time.
 */
export const maxUsualRows = 262_144;

/**
 * @param maxAnswer the largest size of an answer, and of the rows that it is made of, in bytes: `ANSWER_LIMIT`
 * @param enterLargeAnswer waits until the request may read more than usual
 */
export function createBudget(maxAnswer: number, enterLargeAnswer: () => PromiseOrValue<unknown>): Budget {
  let [references, bytes, rows, work] = [maxFollowed, maxAnswer, 0, maxPatternWork];
  let entered: Promise<unknown> | null = null;
  // One error for all fields of a document: making one with its stack is slow, and there may be thousands.
  let tooLarge: ServiceError | undefined;
  const refuseSize = (): never => {
    throw (tooLarge ??= sizeError(maxAnswer));
  };
  const enterOnce = async (): Promise<void> => {
    await (entered ??= Promise.resolve(enterLargeAnswer()));
  };
  return {
    takeReferences: (count) => {
      references -= count;
      if (references >= 0) return;
      fail('too_complex', `The request follows over ${maxFollowed} references. Ask for fewer entries at a time.`);
    },
    takeRows: (part) => {
      rows += part;
      if (rows > maxAnswer) refuseSize();
      return rows > maxUsualRows ? enterOnce() : undefined;
    },
    awaitText: (read) => (read > maxUsualRows ? enterOnce() : undefined),
    countRows: (part) => {
      rows += part;
      if (rows > maxAnswer) refuseSize();
    },
    mark: () => {
      const marked = [references, bytes, rows, work] as const;
      return () => {
        [references, bytes, rows, work] = marked;
      };
    },
    takeAnswer: (part) => {
      bytes -= part;
      if (bytes < 0) refuseSize();
    },
    takePatternWork: (units) => {
      work -= units;
      if (work >= 0) return;
      const cause = 'The request takes too long to check texts against the patterns of their fields.';
      fail('too_complex', `${cause} Send fewer or shorter values, or ask for fewer entries at a time.`);
    },
  };
}

/** A budget without limits, for the answer to a stored write, which cannot be refused any more. */
export const unlimitedBudget: Budget = {
  takeReferences: () => undefined,
  takeRows: () => undefined,
  awaitText: () => undefined,
  countRows: () => undefined,
  mark: () => () => undefined,
  takeAnswer: () => undefined,
  takePatternWork: () => undefined,
};

/**
 * The budget within a transaction. It never waits for another large answer: the request of that answer may be waiting
 * for the transaction's connection.
 */
export function budgetWithin(budget: Budget): Budget {
  return {
    ...budget,
    takeRows: (bytes) => budget.countRows(bytes),
    awaitText: () => undefined,
  };
}

function sizeError(max: number): ServiceError {
  const detail = `The answer would be larger than ${max} bytes. Ask for fewer entries or members at a time.`;
  return new ServiceError('answer_too_large', { detail });
}
