// Suggests a name for a mistyped one: a message that refuses an unknown name also gives the nearest known one.
import { distance } from 'fastest-levenshtein';

/** Longer texts are not compared, to save time: no known name is that long. */
const maxComparedLength = 100;
/** A name is not near if it differs by more edits than `maxEdits`, or by more than one edit for each three characters. */
const maxEdits = 2;
const charactersPerEdit = 3;

/**
 * Finds the known name that is most likely meant by a mistyped one; null if no name is near. Letter case makes no
 * difference, and two swapped neighbours count as one edit. Of equally near names, the first is returned.
 * @param known the names that are valid there. The result is shown to the caller, so pass only names that they may know
 */
export function nearestName(given: string, known: Iterable<string>): string | null {
  if (given.length > maxComparedLength) return null;
  const lower = given.toLowerCase();
  let nearest: string | null = null;
  let fewest = Infinity;
  for (const name of known) {
    const longer = Math.max(given.length, name.length);
    const allowed = Math.min(maxEdits, Math.floor(longer / charactersPerEdit));
    // The difference of the lengths alone excludes most names.
    if (name === given || Math.abs(given.length - name.length) > allowed) continue;
    const edits = countEdits(lower, name.toLowerCase());
    if (edits <= allowed && edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/**
 * The end of a message that refuses a name: the question whether the nearest known name was meant.
 * @param nearest the result of `nearestName`
 * @param otherwise the end of the message if no name is near: a full stop, or the expected names
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
