// Every code of the error table is reached, through each door that has it, with the same errors of members.
import { describe, expect, test } from '@jest/globals';
import { errorTable, type ErrorCode, type FieldError } from '../../../src/base/errors.ts';
import { startApp } from '../../support/app.ts';
import { suiteApp } from '../../support/scene.ts';
import { as, type Caller, type Credentials, type RestOptions } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { testDatabase } from '../../support/db.ts';
import { expectProblem, statusOf } from '../../support/expect.ts';

interface Way {
  readonly as: 'nobody' | 'master' | 'public';
  /** null: the code is GraphQL's alone. */
  readonly rest: readonly [method: string, path: string, options?: RestOptions] | null;
  readonly gql:
    | string
    | {
        readonly query: string;
        readonly before: 'execution';
        readonly type?: string;
        readonly method?: string;
        readonly path?: string;
      };
}

/** Codes that need a service of their own to be reached. */
const elsewhere: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'test/once/rest/rateLimits.test.ts',
  too_complex: 'test/both/hostile/budget.test.ts',
  answer_too_large: 'test/both/hostile/budget.test.ts',
  cursor_expired: 'test/both/changes/feed.test.ts',
  internal: 'below',
  unavailable: 'below',
};

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
    gql: 'mutation { deleteEntry(channel: "articles", id: "absent") }',
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
  query_too_complex: {
    as: 'master',
    rest: null,
    gql: { query: `{ ${'channels { id } ...on Query { channels { id } } '.repeat(20)} }`, before: 'execution' },
  },
  uri_too_long: {
    as: 'nobody',
    rest: ['GET', `${entries}?sort=${'x'.repeat(8_192)}`],
    gql: { query: '{ channels { id } }', before: 'execution', path: `/graphql?use_acl=${'1'.repeat(8_192)}` },
  },
  unsupported_media_type: {
    as: 'master',
    rest: ['POST', entries, { body: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    gql: { query: '{ channels { id } }', before: 'execution', type: 'application/json; charset=iso-8859-1' },
  },
  validation_failed: {
    as: 'master',
    rest: ['POST', entries, { body: { slug: 'No Slug', _publish_at: 'soon', _x: 1, _acl: { '': {} } } }],
    gql: create('{ slug: "No Slug", publishAt: "soon", fields: { _x: 1 }, acl: [{ actor: "" }] }'),
  },
};

const app = await suiteApp();
const site = await buildSite(app.database.prisma);
const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles' });
await buildEntry(app.database.prisma, channel, { slug: 'taken' });

function credentials(who: Way['as']): Credentials {
  return who === 'nobody' ? {} : { token: site[who] };
}

describe.each(Object.entries(ways) as [ErrorCode, Way][])('%s', (code, way) => {
  /** What REST says of members. */
  let told: FieldError[] | undefined;
  test('the code is reached over REST, if REST has it', async () => {
    if (way.rest === null) {
      expect(code).toBe('query_too_complex');
      return;
    }
    const answer = await as(app, credentials(way.as)).rest(...way.rest);
    told = (answer.body as { errors?: FieldError[] }).errors;
    expectProblem(
      answer,
      code,
      told?.map(({ field }) => field),
    );
    expect(told !== undefined).toBe(code === 'validation_failed' || code === 'conflict');
  });

  const { query, before, type, ...options } = typeof way.gql === 'string' ? { query: way.gql } : way.gql;
  test('the code is reached over GraphQL', async () => {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const { status, errors = [] } = await as(app, credentials(way.as)).gql(query, {}, { ...options, headers });
    expect(status).toBe(before === 'execution' ? errorTable[code].status : 200);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([errorTable[code].graphql]);
    expect(errors[0]?.extensions.requestId).toMatch(/\S/);
    expect(errors[0]?.extensions.errors).toEqual(told);
  });
});

describe('faults', () => {
  /** The service on a database whose look-ups of entries, but not of tokens, fail with an error. */
  async function failing(error: Error): Promise<{ master: Caller; stop: () => Promise<void> }> {
    const database = await testDatabase();
    const reject = (): Promise<never> => Promise.reject(error);
    const service = await startApp(
      {},
      {
        kind: database.kind,
        failed: database.failed,
        prisma: database.prisma,
        replicas: null,
        nodes: null,
        statements: { read: reject, readPrepared: reject, write: reject },
        session: (work) => database.session(work),
        watch: (onChange, onLost) => database.watch(onChange, onLost),
        readPool: () => database.readPool(),
        ping: () => database.ping(),
        copy: (name) => database.copy(name),
        close: () => database.close(),
      },
    );
    const { id, master: token } = await buildSite(database.prisma);
    await buildChannel(database.prisma, id, { id: 'articles' });
    const stop = async (): Promise<void> => {
      await service.close();
      await database.close();
    };
    return { master: as(service, { token }), stop };
  }

  const secret = 'SELECT secret FROM somewhere';
  test.each([
    ['internal', new Error(secret)],
    ['unavailable', Object.assign(new Error(secret), { code: 'ECONNREFUSED' })],
  ] as const)('a fault %s: the code is sent, and nothing of its cause', async (code, error) => {
    const { master, stop } = await failing(error);
    const answer = await master.rest('GET', entries);
    expectProblem(answer, code);
    expect(answer.text).not.toMatch(/secret|prisma|\/src\/|at \w+ \(/i);
    expect(answer.headers.get('retry-after')).toBe(code === 'unavailable' ? '1' : null);
    const { status, errors } = await master.gql('{ entries(channel: "articles") { totalCount } }');
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([200, [errorTable[code].graphql]]);
    expect(JSON.stringify(errors)).not.toMatch(/secret|prisma|stack/i);
    await stop();
  });
});

test('each code of the error table is reached by a test here, or in the file that the table names', () => {
  const reached = [...Object.keys(ways), ...Object.keys(elsewhere)];
  expect(reached.sort()).toEqual(Object.keys(errorTable).sort());
});

test('the error table equals the contract’s', () => {
  const statuses = Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
  expect(statuses).toEqual(statusOf);
});
