// Copies of the build note which named functions are entered, in order, and do what the build does.
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { instrument } from '../../../bench/calls/instrument.mjs';

/** What the body of a function gives, and the functions that it enters. */
function run(code: string): [unknown, string[]] {
  const entered: string[] = [];
  const noteEntry = ({ name }: { name: string }): number => entered.push(name);
  return [runInNewContext(`(() => { ${instrument('a.js', code)} })()`, { noteEntry }), entered];
}

test.each([
  ['a function', 'function go() { return 1; } return go();', 1, ['go']],
  [
    'a method and a constructor',
    'class A { constructor() { this.n = 2; } get() { return this.n; } } return new A().get();',
    2,
    ['A', 'get'],
  ],
  ['a function that is the value of a constant', 'const go = (n) => n + 1; return go(1);', 2, ['go']],
  ['a function that gives an object', 'const go = () => ({ n: 3 }); return go().n;', 3, ['go']],
  ['a function within another', 'const go = () => () => 1; const on = go(); return on();', 1, ['go']],
  ['a function that is the value of a member', 'return { go: () => 4 }.go();', 4, ['go']],
  ['a function without a name', 'return [1].map((n) => n + 1)[0];', 2, []],
])('the entry of %s is counted', (_what, code, result, names) => {
  expect(run(code)).toEqual([result, names]);
});
