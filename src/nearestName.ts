// Mistyped names: a message that refuses a name also gives the nearest one that is known.
import { distance } from 'fastest-levenshtein';

/** Longer texts are not compared, so that they cost no time: no known name is as long. */
const maxComparedLength = 100;
/** A name that differs more is another name: more than two edits, or more than one for each three characters. */
const maxEdits = 2;
const charactersPerEdit = 3;

/**
 * The known name that a mistyped one most likely stands for, or null where no name is near. Letter case makes no difference,
 * and two neighbours that changed places count as one edit. Of names that are equally near, the first is taken.
 * @param known the names that could stand there. The result is shown to the caller, so pass only names that it may know
 */
export function nearestName(given: string, known: Iterable<string>): string | null {
  if (given.length > maxComparedLength) return null;
  const lower = given.toLowerCase();
  let nearest: string | null = null;
  let fewest = Infinity;
  for (const name of known) {
    const longer = Math.max(given.length, name.length);
    const allowed = Math.min(maxEdits, Math.floor(longer / charactersPerEdit));
    // The lengths alone rule most names out.
    if (name === given || Math.abs(given.length - name.length) > allowed) continue;
    const edits = countEdits(lower, name.toLowerCase());
    if (edits <= allowed && edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/**
 * The end of a message that refuses a name: a question after the nearest known name.
 * @param nearest what `nearestName` found
 * @param otherwise how the message ends where nothing is near: with a full stop, or with what is expected
 */
export function didYouMean(nearest: string | null, otherwise = '.'): string {
  return nearest === null ? otherwise : `; did you mean ${JSON.stringify(nearest)}?`;
}

function countEdits(one: string, other: string): number {
  const edits = distance(one, other);
  return edits === 2 && areSwapped(one, other) ? 1 : edits;
}

/** Whether two different texts differ only in two neighbouring characters that changed places. */
function areSwapped(one: string, other: string): boolean {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one === other.slice(0, at) + other.charAt(at + 1) + other.charAt(at) + other.slice(at + 2);
}
