// Every code of the error table is reached, through both doors; a code that nothing reaches yet is named.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorTable, type ErrorCode } from '../../src/errors.ts';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Credentials, type RestOptions } from '../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../support/build.ts';
import { testDatabase } from '../support/db.ts';
import { expectProblem, statusOf } from '../support/expect.ts';

interface Way {
  readonly as: 'nobody' | 'master' | 'public';
  readonly rest: readonly [method: string, path: string, options?: RestOptions];
  readonly gql:
    string | { readonly query: string; readonly before: 'execution'; readonly type?: string; readonly method?: string };
}

const notReached: Partial<Record<ErrorCode, string>> = { rate_limited: 'requests are not limited yet' };

const entries = '/channels/articles/entries';
const create = (input: string): string => `mutation { createEntry(channel: "articles", input: ${input}) { id } }`;
const ways: Partial<Record<ErrorCode, Way>> = {
  bad_request: {
    as: 'master',
    rest: ['GET', `${entries}?page=0`],
    gql: '{ entries(channel: "articles", first: 0) { totalCount } }',
  },
  unauthenticated: {
    as: 'nobody',
    rest: ['GET', entries],
    gql: { query: '{ channels { id } }', before: 'execution' },
  },
  forbidden: { as: 'public', rest: ['POST', entries, { body: {} }], gql: create('{}') },
  not_found: {
    as: 'public',
    rest: ['GET', `${entries}/absent`],
    gql: '{ entry(channel: "articles", id: "absent") { id } }',
  },
  method_not_allowed: {
    as: 'master',
    rest: ['PUT', entries, { body: {} }],
    gql: { query: '{ channels { id } }', before: 'execution', method: 'PUT' },
  },
  conflict: { as: 'master', rest: ['POST', entries, { body: { slug: 'taken' } }], gql: create('{ slug: "taken" }') },
  precondition_failed: {
    as: 'master',
    rest: ['DELETE', `${entries}/taken`, { headers: { 'If-Match': '"7.x"' } }],
    gql: 'mutation { deleteEntry(channel: "articles", id: "taken", ifVersion: 7) }',
  },
  payload_too_large: {
    as: 'master',
    rest: ['POST', entries, { body: { text: 'x'.repeat(1_048_577) } }],
    gql: { query: `{ channels { id } } # ${'x'.repeat(1_048_577)}`, before: 'execution' },
  },
  unsupported_media_type: {
    as: 'master',
    rest: ['POST', entries, { body: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    gql: { query: '{ channels { id } }', before: 'execution', type: 'application/json; charset=iso-8859-1' },
  },
  validation_failed: {
    as: 'master',
    rest: ['POST', entries, { body: { slug: 'No Slug' } }],
    gql: create('{ slug: "No Slug" }'),
  },
};

let app: TestApp;
let site: TestSite;
beforeAll(async () => {
  app = await startApp();
  site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles' });
  await buildEntry(app.database.prisma, channel, { slug: 'taken' });
});
afterAll(() => app.close());

function credentials(who: Way['as']): Credentials {
  return who === 'nobody' ? {} : { token: site[who] };
}

describe.each(Object.entries(ways) as [ErrorCode, Way][])('%s', (code, way) => {
  test('over REST', async () => {
    const answer = await as(app, credentials(way.as)).rest(...way.rest);
    const { errors } = answer.body as { errors?: { field: string }[] };
    expectProblem(
      answer,
      code,
      errors?.map(({ field }) => field),
    );
    expect(errors !== undefined).toBe(code === 'validation_failed' || code === 'conflict');
  });

  const { query, before, type, method = 'POST' } = typeof way.gql === 'string' ? { query: way.gql } : way.gql;
  test('over GraphQL', async () => {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const { status, errors = [] } = await as(app, credentials(way.as)).gql(query, {}, { method, headers });
    expect(status).toBe(before === 'execution' ? errorTable[code].status : 200);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([errorTable[code].graphql]);
    expect(errors[0]?.extensions.requestId).toMatch(/\S/);
  });
});

describe('faults', () => {
  /** The service on a database whose look-ups of entries, but not of tokens, fail with an error. */
  async function failing(error: Error): Promise<TestApp & { stop: () => Promise<void> }> {
    const database = await testDatabase();
    const prisma = database.prisma.$extends({
      query: { $queryRaw: () => Promise.reject(error) },
    }) as unknown as PrismaClient;
    const service = await startApp(
      {},
      {
        kind: database.kind,
        prisma,
        session: (work) => database.session(work),
        watch: (onChange, onLost) => database.watch(onChange, onLost),
        ping: () => database.ping(),
        close: () => database.close(),
      },
    );
    site = await buildSite(database.prisma);
    await buildChannel(database.prisma, site.id, { id: 'articles' });
    const stop = async (): Promise<void> => {
      await service.close();
      await database.close();
    };
    return { ...service, stop };
  }

  const secret = 'SELECT secret FROM somewhere';
  test.each([
    ['internal', new Error(secret)],
    ['unavailable', Object.assign(new Error(secret), { code: 'ECONNREFUSED' })],
  ] as const)('%s, and nothing of its cause', async (code, error) => {
    const service = await failing(error);
    const master = as(service, { token: site.master });
    const answer = await master.rest('GET', entries);
    expectProblem(answer, code);
    expect(answer.text).not.toMatch(/secret|prisma|\/src\/|at \w+ \(/i);
    expect(answer.headers.get('retry-after')).toBe(code === 'unavailable' ? '1' : null);
    const { status, errors } = await master.gql('{ entries(channel: "articles") { totalCount } }');
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([200, [errorTable[code].graphql]]);
    expect(JSON.stringify(errors)).not.toMatch(/secret|prisma|stack/i);
    await service.stop();
  });
});

test('every code is reached above by each door, or named as not reached', () => {
  const reached = [...Object.keys(ways), 'internal', 'unavailable', ...Object.keys(notReached)];
  expect(reached.sort()).toEqual(Object.keys(errorTable).sort());
});

test('the table is the contract’s', () => {
  const statuses = Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
  expect(statuses).toEqual(statusOf);
});
