// Times as callers write them (docs/contract.md §6.3).
import { expect, test } from '@jest/globals';
import { timeInput } from '../../../src/fields/time.ts';

test.each([
  ['2026-01-31T10:00Z', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T10:00+05:30', '2026-01-31T04:30:00.000Z'],
  ['2026-01-31T10:00+0530', '2026-01-31T04:30:00.000Z'],
  ['2026-01-31T10:00:00-0330', '2026-01-31T13:30:00.000Z'],
  ['2026-01-31T10:00:00.25+0000', '2026-01-31T10:00:00.250Z'],
  ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
])('the time %s is parsed as %s', (text, moment) => {
  expect(timeInput.parse(text).toISOString()).toBe(moment);
});

test.each([
  ...[
    '2026-01-31T10:00',
    '2026-01-31T10Z',
    '2026-01-31',
    '2026-01-31T10:00+5:30',
    '2026-01-31T10:00+053',
    '10:00Z',
    '',
  ],
  ...['2026-02-30T10:00Z', '2026-01-31T24:00Z', '2026-01-31T10:60Z', '2026-01-31T10:00+2500', '0000-01-01T10:00Z'],
])('%j is refused as a time with a zone', (text) => {
  expect(timeInput.safeParse(text).success).toBe(false);
});

test.each([null, 5, {}, true])('the refusal of %j explains the form of a time', (value) => {
  expect(timeInput.safeParse(value).error?.issues[0]?.message).toMatch(/^must be an ISO 8601 time with a zone/);
});
