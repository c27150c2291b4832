// The detection of numbers in JSON texts that JavaScript would read as others (src/inputs/json.ts).
import { expect, test } from '@jest/globals';
import { mayHoldUnsafeNumber, parseJson } from '../../../src/inputs/json.ts';

const unsafe = ['9007199254740993', '-9007199254740993', '1e400', '-1E+400', '1.5e300', '12345678901234567.25'];
const around = [(number: string) => number, ...['[?]', '[1,?]', '[ ?]', '{"a":?}', '{"a":\n\t?\r\n}'].map(put)];

function put(text: string): (number: string) => string {
  return (number) => text.replace('?', number);
}

test.each(unsafe)('the unsafe number %s is detected wherever it is', (number) => {
  for (const write of around)
    expect([write(number), mayHoldUnsafeNumber.test(write(number))]).toEqual([write(number), true]);
});

test('ids and safe numbers are not detected as unsafe', () => {
  const usual =
    '{"id":"01983c1e-1e00-7000-8e00-123456789012","at":1732500000000,"part":0.1234567890123456789,"minus":-12.5}';
  expect(mayHoldUnsafeNumber.test(usual)).toBe(false);
  expect(parseJson(usual)).toEqual(JSON.parse(usual));
});

test('a long text is scanned once for unsafe numbers', () => {
  const begun = performance.now();
  mayHoldUnsafeNumber.test(`[0.${'1'.repeat(1_000_000)}]`);
  mayHoldUnsafeNumber.test(`"${':-1.1'.repeat(200_000)}"`);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
