// Patterns of fields: regular expressions of RE2. They match in time linear in the text, but also in the size of the pattern
// with its counted repetitions written out: `(\pL?){999}` is a large one. So what a request makes them do is counted.
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { countCharacters } from './text.ts';

/**
 * Takes work from what a request may still do, before it is done. A unit is one step of a pattern at one character, which
 * takes 30 nanoseconds at most.
 * @throws too_complex where the request has not as much left
 */
export type TakeWork = (units: number) => void;

/** Counts nothing: for what no request waits for, and for commands. */
export function takeFreely(): void {
  // Nothing is counted.
}

/** How large the patterns of a channel may be together, as `patternSize` measures them. */
export const maxPatternSize = 2_500;
/** How much work it is to compile a pattern: for each part of its size, and for each character, which may name a large class. */
const compilingWork = { part: 200, character: 2_000 };
/** How much work it is to begin with a text, counted in characters. */
const beginningWork = 10;
/** A pattern of which each character decides where to go on takes no more steps than this at each, however large it is. */
const maxOnePassSteps = 20;

/** Compiled patterns. All of them together may have the size of 40 channels with the largest ones. */
const compiled = new LRUCache<string, RE2JS>({
  maxSize: 40 * maxPatternSize,
  sizeCalculation: (_compiled, pattern) => patternSize(pattern),
});

/**
 * Compiles a pattern, or finds it compiled.
 * @throws Error if it is not a regular expression of RE2, or too large; too_complex
 */
export function compilePattern(pattern: string, takeWork: TakeWork): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  const size = patternSize(pattern);
  if (size > maxPatternSize) throw new RangeError('The pattern is too large.');
  takeWork(size * compilingWork.part + pattern.length * compilingWork.character);
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}

/** Whether some part of a text matches a pattern. @throws what `compilePattern` throws */
export function matchesPattern(pattern: string, text: string, takeWork: TakeWork): boolean {
  const machine = compilePattern(pattern, takeWork);
  const { onepass }: { onepass: unknown } = machine.re2();
  const isOnePass = typeof onepass === 'object' && onepass !== null;
  const steps = isOnePass ? Math.min(maxOnePassSteps, machine.programSize()) : machine.programSize();
  takeWork(steps * (countCharacters(text) + beginningWork));
  return machine.matcher(text).find();
}

/**
 * The size of a pattern: its parts, those of counted repetitions as often as they may be repeated, and twice its characters.
 * It bounds the size of the compiled pattern and the time that compiling takes, and is known without doing so.
 */
export function patternSize(pattern: string): number {
  /** The parts of each group that is open, after those of the whole pattern. */
  const open = [0];
  /** How many parts the token before has: a repetition repeats them. */
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(patternTokens)) {
    if (token.startsWith('(')) {
      // A group that captures has two parts of its own.
      open.push(token.endsWith(':') ? 0 : 2);
      continue;
    }
    // An alternative that is empty has a part, too.
    let parts = token.startsWith('\\Q') ? token.length : token === '|' ? 2 : 1;
    if (token === ')' && open.length > 1) parts = open.pop() ?? 0;
    if (least !== undefined) parts = addedByRepeating(last, Number(least), most);
    open.push((open.pop() ?? 0) + parts);
    last = /^[*+?{]/.test(token) ? last + parts : parts;
  }
  return open.reduce((sum, parts) => sum + parts, 2 * pattern.length);
}

/** Quoted texts, escapes, classes, beginnings of groups, counted repetitions with their bounds, and single characters. */
const patternTokens =
  /\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\[pP]?.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\((?:\?\w*:)?|\{(\d+)(?:,(\d*))?\}|./gsu;

/**
 * How many parts a counted repetition adds to those that it repeats.
 * @param most the upper bound: empty in `{3,}`, which has none; undefined in `{3}`, where it is the same as `least`
 */
function addedByRepeating(parts: number, least: number, most: string | undefined): number {
  const required = parts * (Math.max(1, least) - 1);
  if (most === undefined) return required;
  return required + (most === '' ? 1 : Math.max(0, Number(most) - least) * (parts + 1));
}
