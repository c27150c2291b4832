// A seed stands for its requests, so that a printed failure can be repeated.
import { expect, test } from '@jest/globals';
import { nextPlan, wireFor } from '../../both/fuzz/generate.ts';
import { seeded } from '../../support/random.ts';
import type { Wire } from '../../both/fuzz/request.ts';

const many = (seed: number, length: number): Wire[] => {
  const random = seeded(seed);
  return Array.from({ length }, () => wireFor(nextPlan(random)));
};

test('one seed makes the same requests each time, and another seed others', () => {
  const [first, again, other] = [7, 7, 8].map((seed) => JSON.stringify(many(seed, 300)));
  expect(again === first).toBe(true);
  expect(other === first).toBe(false);
});

test('most generated requests are useful: both doors, some unmutated, few alike', () => {
  const all = many(11, 500);
  const share = (holds: (wire: Wire) => boolean): number => all.filter(holds).length / all.length;
  expect(share(({ target }) => target.startsWith('/graphql'))).toBeGreaterThan(0.35);
  expect(
    share(({ target }) => /^\/(channels|customers|me|members|invitations|roles|sessions?|tokens)\b/.test(target)),
  ).toBeGreaterThan(0.35);
  // Most of them are about entries.
  expect(share(({ target }) => /^\/channels\/[^/]+\/entries/.test(target))).toBeGreaterThan(0.22);
  expect(share(({ steps }) => steps.length === 0)).toBeGreaterThan(0.04);
  expect(share(({ steps }) => steps.length === 0)).toBeLessThan(0.2);
  expect(new Set(all.map((wire) => JSON.stringify(wire))).size).toBeGreaterThan(all.length * 0.8);
});
