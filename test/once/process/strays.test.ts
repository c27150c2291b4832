// No document leaves a rejection unhandled: random ones, with directives, introspection and what an operation refuses, on both
// schemas. The watch over the log fails the suite where one is told of (test/support/watch); here each is looked for at once.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import { aliases, directedDocument, directedSiteDocument } from '../../support/costlyRequests.ts';
import { serve, type ServiceProcess } from '../../support/process.ts';
import { serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';

const numRuns = 150;

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;

beforeAll(async () => {
  ({ place, site, service } = await serveSite(async (prisma, siteId) => {
    const blog = await buildChannel(prisma, siteId, { id: 'blog' });
    for (let at = 0; at < 40; at += 1) await buildEntry(prisma, blog, { data: { body: 'x'.repeat(5_000) } });
    const big = await buildChannel(prisma, siteId, { id: 'big' });
    for (let at = 0; at < 10; at += 1) await buildEntry(prisma, big, { data: { body: 'x'.repeat(900) } });
    const small = await buildChannel(prisma, siteId, { id: 'small' });
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      ids.push((await buildEntry(prisma, small, { data: { title: `${at} ${'y'.repeat(40 * at)}` } })).id);
    }
    const fields = [{ name: 'r', type: 'references', channel: 'small' } as const];
    const many = await buildChannel(prisma, siteId, { id: 'many', fields });
    for (let at = 0; at < 20; at += 1) await buildEntry(prisma, many, { data: { r: ids } });
  }));
}, 300_000);

afterAll(() => place.remove());

/** Sends a document, and then a request that is answered after whatever the document has left has failed. */
async function sendAlone(query: string, path: string, variables = {}): Promise<Answered> {
  const visitor: Caller = as(service, { token: site.public });
  const { status, errors = [] } = await visitor.gql(query, variables, { path });
  expect((await visitor.rest('GET', '/channels/small/entries?per_page=1')).status).toBe(200);
  expect(service.child.exitCode).toBeNull();
  expect(service.log()).not.toMatch(/stray rejection|crashed/);
  return { status, codes: errors.map(({ extensions }) => extensions.code) };
}

interface Answered {
  readonly status: number;
  readonly codes: readonly string[];
}

describe('with the default limits', () => {
  afterAll(async () => expect(await service.stop()).toBe(0));

  test.each([
    ['a directive at the nodes', `nodes @include(if: true) { ${aliases('fields')} channel { fields { name } } }`],
    ['a directive at a field', `nodes { ${aliases('fields')} channel @include(if: true) { fields { name } } }`],
    [
      'a directive at the edges',
      `edges @skip(if: false) { node { ${aliases('fields')} channel { fields { name } } } }`,
    ],
    ['introspection', `nodes { ${aliases('fields')} channel { fields { name } } } } __schema { queryType { name }`],
  ])(
    '97 aliases of 40 entries, too large together, and %s are refused, and the process goes on',
    async (_what, selection) => {
      const query = `{ entries(channel: "blog", first: 250) { ${selection} } }`;
      for (let time = 0; time < 3; time += 1) {
        const { status, codes } = await sendAlone(query, '/graphql');
        expect([status, new Set(codes)]).toEqual([200, new Set(['ANSWER_TOO_LARGE'])]);
      }
    },
  );
});

describe('with answers so small that most documents have fields that are refused', () => {
  beforeAll(async () => {
    service = await serve({ ...place.environment, RATE_LIMIT: 'off', ANSWER_LIMIT: '20000' });
  });
  afterAll(async () => expect(await service.stop()).toBe(0));

  test.each([
    ['/graphql', directedDocument],
    ['/graphql/site', directedSiteDocument],
  ])(
    'random documents with and without directives leave no rejection unhandled: %s',
    async (path, document) => {
      const answers: Answered[] = [];
      const send = async (query: string, on: boolean): Promise<void> => {
        answers.push(await sendAlone(query, path, { on }));
      };
      await fc.assert(fc.asyncProperty(document, fc.boolean(), send), { numRuns, endOnFailure: true });
      expect(answers.filter(({ codes }) => codes.includes('ANSWER_TOO_LARGE')).length).toBeGreaterThan(0);
      expect(answers.filter(({ status, codes }) => status === 200 && codes.length === 0).length).toBeGreaterThan(0);
      expect(answers.filter(({ codes }) => codes.some((code) => code.startsWith('GRAPHQL_')))).toEqual([]);
    },
    300_000,
  );
});
