// One half of the random histories.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Histories } from './histories.ts';

const histories = new Histories(2);
beforeAll(() => histories.open());
afterAll(() => histories.close());

test(histories.title, () => histories.expectAgreement(), Histories.timeLimit);

test('the histories reach each rule of the contract, and no other', () => {
  expect([histories.idle, histories.unlisted]).toEqual([[], []]);
});
