// What one request may use up, however it is spelled: aliases, lists and bulks of one request share it.
import { fail } from './errors.ts';

/** How many references one request may follow: those of 250 entries with 200 references each. */
const maxFollowed = 50_000;

/**
 * How much work the patterns of fields may do for one request: 0.2 seconds. To check one entry twice never needs more, however
 * large its channel's patterns are; it is checked once more where its slug is taken.
 */
const maxPatternWork = 6_000_000;

/** What a request may still use up. */
export interface Budget {
  /** Takes references that are to be followed. @throws too_complex where the request follows too many */
  readonly takeReferences: (count: number) => void;
  /** Takes a part of the answer, in bytes of JSON, before it is made. @throws answer_too_large */
  readonly takeAnswer: (bytes: number) => void;
  /** Takes work of the patterns of fields. @throws too_complex where texts and patterns are too long together */
  readonly takePatternWork: (units: number) => void;
}

/** @param maxAnswer how many bytes an answer may have, `ANSWER_LIMIT` */
export function createBudget(maxAnswer: number): Budget {
  let references = maxFollowed;
  let bytes = maxAnswer;
  let work = maxPatternWork;
  return {
    takeReferences: (count) => {
      references -= count;
      if (references >= 0) return;
      fail('too_complex', `The request follows over ${maxFollowed} references. Ask for fewer entries at a time.`);
    },
    takeAnswer: (part) => {
      bytes -= part;
      if (bytes >= 0) return;
      fail('answer_too_large', `The answer is larger than ${maxAnswer} bytes. Ask for fewer items or members.`);
    },
    takePatternWork: (units) => {
      work -= units;
      if (work >= 0) return;
      const cause = 'The request takes too long to check texts against the patterns of their fields.';
      fail('too_complex', `${cause} Send fewer or shorter values, or ask for fewer entries at a time.`);
    },
  };
}
