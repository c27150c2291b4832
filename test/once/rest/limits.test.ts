// How large a request may be, at both doors. What is just within a limit is answered, one more is refused before any SQL.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/config/config.ts';
import { as, type Caller } from '../../support/as.ts';
import { expectData, expectEntry, expectProblem, expectRequestRefused } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { statementsDuring } from '../../support/sql.ts';

const collection = '/channels/articles/entries';
const create = 'mutation ($input: EntryInput!) { createEntry(channel: "articles", input: $input) { id } }';

const json = { JSON_MAX_DEPTH: '10', JSON_MAX_MEMBERS: '30', JSON_MAX_VALUES: '40' };
const app = await suiteApp({ BODY_LIMIT: '2000', URL_LIMIT: '300', ...json });
let caller: Caller;
beforeAll(async () => {
  const { master } = await buildScene(app);
  caller = master;
  // From here on it is known who asks, and what the channel is.
  expect((await caller.rest('GET', collection)).status).toBe(200);
});

const list = (length: number): number[] => Array.from({ length }, (_, index) => index);
const object = (length: number): object => Object.fromEntries(list(length).map((n) => [`f${n}`, n]));
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('what a body may hold', () => {
  test.each([
    ['bytes', { a: 'x'.repeat(1_980) }, { a: 'x'.repeat(2_000) }, 'payload_too_large', 'larger than 2000 bytes'],
    ['members and items', { a: list(39) }, { a: list(40) }, 'bad_request', 'more than 40 members and items'],
    ['members', { a: object(29) }, { a: object(20), b: object(20) }, 'bad_request', 'more than 40 members and items'],
    ['members of an object', object(30), object(31), 'bad_request', 'body holds more than 30 members'],
    [
      'members of an object inside',
      { a: [object(30)] },
      { a: [object(31)] },
      'bad_request',
      'body.a[0] holds more than',
    ],
    ['members of a large object', { a: '{:'.repeat(70) }, object(61), 'bad_request', 'body holds more than 30 members'],
    ['levels', { a: nested(7) }, { a: nested(10) }, 'bad_request', 'deeper than 10 levels'],
  ] as const)(
    'a body up to the limit is stored, and a larger one is refused: %s',
    async (_what, allowed, refused, code, tells) => {
      expectEntry(await caller.rest('POST', collection, { body: allowed }), 201);
      const texts = await statementsDuring(async () => {
        const answer = await caller.rest<{ detail: string }>('POST', collection, { body: refused });
        expectProblem(answer, code);
        expect(answer.body.detail).toContain(tells);
      });
      expect(texts).toEqual([]);
    },
  );

  test.each([
    ['bytes', { a: 'x'.repeat(1_700) }, { a: 'x'.repeat(2_000) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['members and items', { a: list(30) }, { a: list(40) }, 400, 'BAD_USER_INPUT'],
    ['members of an object', object(30), object(31), 400, 'BAD_USER_INPUT'],
    ['levels', { a: nested(4) }, { a: nested(10) }, 400, 'BAD_USER_INPUT'],
  ] as const)(
    'variables up to the limit are accepted, and larger ones are refused: %s',
    async (_what, allowed, refused, status, code) => {
      expectData(await caller.gql(create, { input: { fields: allowed } }));
      const texts = await statementsDuring(async () => {
        expectRequestRefused(await caller.gql(create, { input: { fields: refused } }), status, code);
      });
      expect(texts).toEqual([]);
    },
  );

  test('a literal in a document counts like the JSON that it stands for', async () => {
    const fields = `{ a: [${list(40).join(' ')}] }`;
    const texts = await statementsDuring(async () => {
      const { errors } = await caller.gql(
        `mutation { createEntry(channel: "articles", input: { fields: ${fields} }) { id } }`,
      );
      expect(errors).toMatchObject([
        { message: expect.stringContaining('more than 40'), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    });
    expect(texts).toEqual([]);
  });
});

describe('what the JSON in `where` may hold', () => {
  test.each([
    ['members and items', { year: { in: list(38) } }, { year: { in: list(39) } }, 'more than 40 members and items'],
    ['levels', { year: nested(9) }, { year: nested(10) }, 'deeper than 10 levels'],
  ] as const)(
    '`where` up to the limit is read, and a larger one is refused: %s',
    async (_what, allowed, refused, tells) => {
      for (const path of [collection, `${collection}/count`]) {
        const asked = (where: unknown): string => `${path}?where=${encodeURIComponent(JSON.stringify(where))}`;
        expect((await caller.rest('GET', asked(allowed))).status).toBe(200);
        const texts = await statementsDuring(async () => {
          const answer = await caller.rest<{ detail: string }>('GET', asked(refused));
          expectProblem(answer, 'bad_request');
          expect(answer.body.detail).toContain(tells);
        });
        expect(texts).toEqual([]);
      }
    },
  );
});

test.each(['variables', 'extensions'])(
  'levels and items of %s in the URL of a GraphQL query are limited',
  async (name) => {
    const ask = (value: string): ReturnType<Caller['rest']> =>
      caller.rest('GET', `/graphql?query={channels{id}}&${name}=${encodeURIComponent(value)}`, {
        headers: { 'Apollo-Require-Preflight': 'true' },
      });
    expect((await ask('{"a":[1,2]}')).status).toBe(200);
    for (const [value, refusal] of [
      [`{"a":${'['.repeat(11)}${']'.repeat(11)}}`, 'deeper than 10 levels'],
      [`{"a":[${'1,'.repeat(40)}1]}`, 'more than 40 members and items'],
    ] as const) {
      const texts = await statementsDuring(async () => {
        const { status, text } = await ask(value);
        expect(status).toBe(400);
        expect(text).toContain(refusal);
      });
      expect(texts).toEqual([]);
    }
  },
);

describe('a URL', () => {
  const pathOf = (length: number): string => `${collection}?sort=`.padEnd(length, 'x');

  test('a URL of the longest length is read', async () => {
    expectProblem(await caller.rest('GET', pathOf(300)), 'bad_request');
  });

  test('a URL that is one byte longer is refused before the token is checked', async () => {
    const texts = await statementsDuring(async () => {
      expectProblem(await caller.rest('GET', pathOf(301)), 'uri_too_long');
      expectProblem(await as(app).rest('GET', pathOf(301)), 'uri_too_long');
    });
    expect(texts).toEqual([]);
  });
});

test('the default limits are those in the README', () => {
  expect(readConfig({})).toMatchObject({
    trustProxy: false,
    rateLimits: { perToken: 60_000, perAddress: 30_000, perPublicToken: 600_000, legacyHeaders: false },
    statementTimeout: 10_000,
    limits: {
      body: 1_048_576,
      url: 8_192,
      json: { depth: 100, members: 10_000, values: 50_000 },
      graphql: { length: 131_072, tokens: 5_000, depth: 20, aliases: 100, rootFields: 25, cost: 50_000 },
    },
  });
});
