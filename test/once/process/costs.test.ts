// A search for requests that cost more than the limits are meant to allow: by the processor time of the service, and by the bytes of
// the answer, for each byte that is sent. What is refused costs something, too, and so does what many callers send at once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cpuTime } from '../../../bench/usage.mjs';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import { costlyRequest, newDocument, type CostlyRequest } from '../../support/costlyRequests.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { endServed, serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';

/** `SEARCHED_REQUESTS` makes a longer search. */
const numRuns = Number(process.env['SEARCHED_REQUESTS'] ?? 300);

/** The slowest that was found takes about 0.6 seconds: machines differ. */
const maxSeconds = 2;

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;

beforeAll(async () => {
  ({ place, site, service } = await serveSite(
    async (prisma, siteId) => {
      const open = { createScope: 'public' } as const;
      const big = await buildChannel(prisma, siteId, { id: 'big', ...open });
      for (let at = 0; at < 20; at += 1)
        await buildEntry(prisma, big, { data: { body: `word${at} `.repeat(100_000) } });
      const small = await buildChannel(prisma, siteId, { id: 'small' });
      const ids: string[] = [];
      for (let at = 0; at < 300; at += 1) {
        ids.push((await buildEntry(prisma, small, { data: { title: `${at} ${'\u{1F600}'.repeat(400)}` } })).id);
      }
      const fields = [{ name: 'r', type: 'references', channel: 'small' } as const];
      const many = await buildChannel(prisma, siteId, { id: 'many', fields });
      for (let at = 0; at < 100; at += 1) await buildEntry(prisma, many, { data: { r: ids } });
    },
    { RATE_LIMIT: 'off' },
  ));
}, 300_000);

afterAll(() => endServed({ place, service }));

/** The processor time of the service so far, in seconds. */
const processorSeconds = (): number => cpuTime(service.child.pid) / 1e6;

/** What a request cost. */
interface Cost {
  readonly request: CostlyRequest;
  readonly seconds: number;
  /** Microseconds of processor time for each byte that was sent. */
  readonly perByte: number;
  /** Bytes of the answer. */
  readonly answered: number;
}

test('no request takes seconds of processor time', async () => {
  const visitor = as(service, { token: site.public });
  const costs: Cost[] = [];
  const send = async (request: CostlyRequest): Promise<void> => {
    const { method, path, body } = request;
    const before = processorSeconds();
    const answer = await visitor.rest(method, path, body === undefined ? {} : { body });
    const seconds = processorSeconds() - before;
    expect([200, 201, 400, 414, 422, 431, 503]).toContain(answer.status);
    const sent = path.length + (body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body)));
    costs.push({ request, seconds, perByte: (seconds * 1e6) / sent, answered: JSON.stringify(answer.body).length });
  };
  await fc.assert(fc.asyncProperty(costlyRequest, send), { numRuns, endOnFailure: true });
  const most = (member: 'seconds' | 'perByte' | 'answered'): Cost | undefined =>
    costs.toSorted((a, b) => b[member] - a[member])[0];
  if (process.env['SEARCHED_REQUESTS'] !== undefined) {
    for (const member of ['seconds', 'perByte', 'answered'] as const) {
      const cost = most(member);
      console.log(member, cost && { ...cost, request: JSON.stringify(cost.request).slice(0, 600) });
    }
  }
  expect(costs.length).toBe(numRuns);
  // The search reaches what costs something.
  expect(most('seconds')?.seconds).toBeGreaterThan(0.02);
  expect(most('seconds')?.seconds).toBeLessThan(maxSeconds);
  expect(most('answered')?.answered).toBeLessThan(2 * 16_777_216);
}, 600_000);

/** How many callers send new documents at once, and how many times somebody else asks meanwhile. */
const [senders, fetches] = [40, 40];

test('beside 40 callers that send new documents of any shape, a fetch takes little processor time', async () => {
  const attacker = as(service, { token: site.public });
  const other = as(service, { token: site.master });
  const documents = fc.sample(newDocument, { numRuns: 4_000, seed: 1 });
  let isOver = false;
  const statuses = new Map<number, number>();
  const sendAll = async (from: number): Promise<void> => {
    for (let at = from; !isOver; at += senders) {
      const { status } = await attacker.gql(`${documents[at % documents.length]} # ${at}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, (_, from) => sendAll(from)));
  const seconds: number[] = [];
  for (let time = 0; time < fetches; time += 1) {
    const before = processorSeconds();
    expect((await other.rest('GET', '/channels/small/entries?per_page=1')).status).toBe(200);
    seconds.push(processorSeconds() - before);
  }
  isOver = true;
  await sending;
  seconds.sort((a, b) => a - b);
  // About 0.02 and 0.1 seconds; 0.4 and 2 where all documents are read as they come.
  expect(seconds[fetches / 2]).toBeLessThan(0.15);
  expect(seconds.at(-1)).toBeLessThan(0.75);
  // Some are valid, and most are refused.
  expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 400]));
}, 300_000);
