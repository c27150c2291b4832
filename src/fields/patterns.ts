// Patterns of fields: regular expressions of RE2. Matching takes time linear in the text, but also in the size of the
// pattern with its counted repetitions written out, and `(\pL?){999}` is a large one. Therefore the work that a request
// causes is counted.
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { countCharacters } from './text.ts';

/**
 * Takes work from a request's budget before it is done. A unit is one step of a pattern at one character, which takes
 * 30 nanoseconds at most.
 * @throws too_complex if the budget does not suffice
 */
export type TakeWork = (units: number) => void;

/** Counts nothing: for work that no request waits for, and for commands. */
export function takeFreely(): void {
  // Nothing is counted.
}

/** Maximum total size of a channel's patterns, in units of `patternSize`. */
export const maxPatternSize = 2_500;
/** The work of compiling a pattern: per unit of its size, and per character, which may name a large class. */
const compilingWork = { part: 200, character: 2_000 };
/** The work of starting on a text, in characters. */
const beginningWork = 10;
/** Maximum number of steps per character of a one-pass pattern, which needs no more whatever its size. */
const maxOnePassSteps = 20;

/** Compiled patterns. Their total size is bounded to that of 40 channels with the largest patterns. */
const compiled = new LRUCache<string, RE2JS>({
  maxSize: 40 * maxPatternSize,
  sizeCalculation: (_compiled, pattern) => patternSize(pattern),
});

/**
 * Compiles a pattern, or returns it from the cache.
 * @throws Error if it is not a regular expression of RE2, or too large; too_complex
 */
export function compilePattern(pattern: string, takeWork: TakeWork): RE2JS {
  const cached = compiled.get(pattern);
  if (cached) return cached;
  const size = patternSize(pattern);
  if (size > maxPatternSize) throw new RangeError('The pattern is too large.');
  takeWork(size * compilingWork.part + pattern.length * compilingWork.character);
  const expression = RE2JS.compile(pattern);
  compiled.set(pattern, expression);
  return expression;
}

/** Whether a pattern matches anywhere in a text. @throws as `compilePattern` */
export function matchesPattern(pattern: string, text: string, takeWork: TakeWork): boolean {
  const machine = compilePattern(pattern, takeWork);
  const { onepass }: { onepass: unknown } = machine.re2();
  const isOnePass = typeof onepass === 'object' && onepass !== null;
  const steps = isOnePass ? Math.min(maxOnePassSteps, machine.programSize()) : machine.programSize();
  takeWork(steps * (countCharacters(text) + beginningWork));
  return machine.matcher(text).find();
}

/**
 * Measures a pattern: its components, those of counted repetitions as often as they may be repeated, and twice its
 * characters. This bounds the size of the compiled pattern and the time of compiling, without compiling it.
 */
export function patternSize(pattern: string): number {
  /** The number of components of the whole pattern, and of each open group. */
  const open = [0];
  /** The number of components of the previous token, which a repetition repeats. */
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(patternTokens)) {
    if (token.startsWith('(')) {
      // A capturing group has two components of its own.
      open.push(token.endsWith(':') ? 0 : 2);
      continue;
    }
    // An empty alternative has a component, too.
    let components = token.startsWith('\\Q') ? token.length : token === '|' ? 2 : 1;
    if (token === ')' && open.length > 1) components = open.pop() ?? 0;
    if (least !== undefined) components = addedByRepeating(last, Number(least), most);
    open.push((open.pop() ?? 0) + components);
    last = /^[*+?{]/.test(token) ? last + components : components;
  }
  return open.reduce((sum, components) => sum + components, 2 * pattern.length);
}

/** Quoted texts, escapes, classes, beginnings of groups, counted repetitions with their bounds, and single characters. */
const patternTokens =
  /\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\[pP]?.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\((?:\?\w*:)?|\{(\d+)(?:,(\d*))?\}|./gsu;

/**
 * The number of components that a counted repetition adds.
 * @param most the upper bound: empty in `{3,}`, which has none; undefined in `{3}`, where it equals `least`
 */
function addedByRepeating(components: number, least: number, most: string | undefined): number {
  const required = components * (Math.max(1, least) - 1);
  if (most === undefined) return required;
  return required + (most === '' ? 1 : Math.max(0, Number(most) - least) * (components + 1));
}
