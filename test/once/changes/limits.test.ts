// How many requests are held open (docs/contract.md §9.2): of a token, of a public token from one address, and of a process.
import { afterAll, expect, test } from '@jest/globals';
import type { RestAnswer } from '../../support/as.ts';
import { openEvents, type EventReader } from '../../support/eventStream.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', TRUST_PROXY: '1', STREAMS_PER_TOKEN: '2', STREAMS_MAX: '6' });

const readers: EventReader[] = [];
afterAll(() => {
  for (const reader of readers) reader.close();
});

/** Opens a stream, from an address. @returns its status, or the code of its refusal with when to ask again */
async function open(token: string, address: string): Promise<unknown> {
  const reader = await openEvents(app, '/changes?after=now', { token }, { 'X-Forwarded-For': address });
  readers.push(reader);
  if (reader.status === 200) return 200;
  const { code } = JSON.parse(await reader.text()) as RestAnswer<{ code: string }>['body'];
  return [reader.status, code, reader.response.headers['retry-after']];
}

const ofCaller = [429, 'rate_limited', '5'];
const ofProcess = [503, 'unavailable', '5'];

test('requests beyond the limits of held ones, by a token, a public token and the process, are refused', async () => {
  const [{ site }, other] = [await buildScene(app), await buildScene(app)];
  // A token that many share counts by address.
  expect(await open(site.public, '192.0.2.1')).toBe(200);
  expect(await open(site.public, '192.0.2.1')).toBe(200);
  expect(await open(site.public, '192.0.2.1')).toEqual(ofCaller);
  expect(await open(site.public, '192.0.2.2')).toBe(200);
  // One of them has half of the process, from all addresses together.
  expect(await open(site.public, '192.0.2.3')).toEqual(ofProcess);
  expect(await open(site.master, '192.0.2.1')).toBe(200);
  expect(await open(site.master, '192.0.2.2')).toBe(200);
  expect(await open(site.master, '192.0.2.3')).toEqual(ofCaller);
  expect(await open(other.site.public, '192.0.2.3')).toBe(200);
  // The process has no more.
  expect(await open(other.site.master, '192.0.2.1')).toEqual(ofProcess);
  // Whoever does not wait is answered.
  expect((await other.master.rest('GET', '/changes?after=now')).status).toBe(200);
});
