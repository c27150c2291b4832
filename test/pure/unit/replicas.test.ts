// The choice of a standby for a read (docs/contract.md §13.7), by the proofs of each.
import { expect, test } from '@jest/globals';
import type { Replica } from '../../../src/database/replicas/replica.ts';
import { Replicas } from '../../../src/database/replicas/replicas.ts';
import { lastRecordEnd, parsePosition } from '../../../src/database/replicas/walPositions.ts';

const site = 'site';
const longAgo = -Infinity;

/** Standbys of which is known what they have. */
function standbys(...provenUntil: number[]): Replicas {
  return new Replicas(provenUntil.map((moment): unknown => ({ provenUntil: moment })) as Replica[], 60_000);
}

const soon = (): number => performance.now() + 30_000;

test('standbys that are proven to keep up answer in turn, others never', () => {
  const replicas = standbys(soon(), longAgo, soon() + 1, performance.now() - 60_001);
  const chosen = Array.from({ length: 6 }, () => replicas.choose(site, longAgo)?.provenUntil);
  expect(new Set(chosen).size).toBe(2);
  expect(chosen.slice(2)).toEqual(chosen.slice(0, -2));
  expect(standbys(longAgo).choose(site, longAgo)).toBeNull();
});

test('a standby needs the versions that decide the reader’s access', () => {
  const replicas = standbys(performance.now() - 1);
  expect(replicas.choose(site, longAgo)).not.toBeNull();
  expect(replicas.choose(site, soon())).toBeNull();
});

test('a standby needs this process’s writes to the site', () => {
  const replicas = standbys(performance.now() - 1);
  replicas.wrote(site);
  expect(replicas.choose(site, longAgo)).toBeNull();
  expect(replicas.choose('another', longAgo)).not.toBeNull();
});

test('a forgotten write counts for every site', () => {
  const replicas = standbys(performance.now() - 1);
  for (let at = 0; at <= 10_000; at += 1) replicas.wrote(`site ${at}`);
  expect(replicas.choose('another', longAgo)).toBeNull();
});

test('a version keeps the time at which it was first seen, and a new one gets the present', () => {
  const replicas = standbys();
  const first = replicas.firstSeen('channel 1');
  expect(replicas.firstSeen('channel 1')).toBe(first);
  expect(replicas.firstSeen('channel 2')).toBeGreaterThanOrEqual(first);
});

test('a record that fills a page of the log ends with it, and the next one begins behind the next page’s header', () => {
  const sizes = { segment: 0x1_00_00_00, page: 0x20_00 };
  const end = (text: string): bigint => lastRecordEnd(parsePosition(text), sizes);
  expect(parsePosition('16/B374D848')).toBe(0x16_b3_74_d8_48n);
  expect(end('0/4000028')).toBe(parsePosition('0/4000000'));
  expect(end('0/4002018')).toBe(parsePosition('0/4002000'));
  for (const text of ['0/4000060', '0/4002028', '0/4002000', '1/A0']) expect(end(text)).toBe(parsePosition(text));
});
