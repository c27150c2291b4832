// What one request to the schema of a site can make the service do, and what its texts say (docs/contract.md §7, §11.2).
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLEnumType, type GraphQLInputObjectType } from 'graphql';
import { as, send, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { expectData, expectRequestRefused } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

// In development, where names of the schema are no secret.
const app = await suiteApp({ ANSWER_LIMIT: '200000' });
const path = '/graphql/site';

let site: TestSite;
let master: Caller;
beforeAll(async () => {
  const db = app.database.prisma;
  site = await buildSite(db);
  const notes = await buildChannel(db, site.id, {
    ...{ id: 'notes', typeName: 'Note' },
    fields: [
      { name: 'title', type: 'string' },
      { name: 'value', type: 'float' },
      { name: 'next', type: 'reference', channel: 'notes' },
      { name: 'eq', type: 'string' },
      { name: 'status', type: 'string' },
      { name: 'kind', type: 'select', options: ['A', 'B'] },
    ],
  });
  await buildEntry(db, notes, { slug: 'one', data: { title: 'One', value: 1 } });
  master = as(app, { token: site.master });
});

const ask = (document: string, variables: Record<string, unknown> = {}) => master.gql(document, variables, { path });

describe('errors of a document', () => {
  test.each([path, '/graphql'])(
    'a document with many errors has few in its answer, without suggested names: %s',
    async (at) => {
      const types = Array.from({ length: 200 }, (_, index) => `$v${index}: Channe`).join(' ');
      const fields = Array.from({ length: 200 }, (_, index) => `a${index}: channel_`).join(' ');
      for (const document of [`query (${types}) { channels { id } }`, `{ ${fields} }`]) {
        const { status, errors = [] } = await master.gql(document, {}, { path: at });
        expect([status, errors.length]).toEqual([400, 6]);
        expect(JSON.stringify(errors)).not.toContain('Did you mean');
      }
    },
  );

  test.each(['', '@include(if: true)'])(
    'a document with many errors in a variable has few in its answer %s',
    async (directive) => {
      const where = { or: Array.from({ length: 100 }, () => ({ titel: { eq: 'x' } })) };
      const document = `query ($where: NoteWhere) { notes(where: $where) { totalCount ${directive} } }`;
      const { status, errors = [] } = await ask(document, { where });
      expect([status, errors.length]).toEqual([400, 6]);
      expect(JSON.stringify(errors)).not.toContain('Did you mean');
    },
  );
});

describe('conditions', () => {
  const list = 'query ($where: NoteWhere) { notes(where: $where) { totalCount } }';

  test.each([
    ['in a list', { or: Array.from({ length: 2_000 }, () => ({})) }],
    ['in a comparison', { and: Array.from({ length: 700 }, () => ({ next: { title: { eq: 'x' } } })) }],
  ])('a variable with too many conditions is refused: %s', async (_name, where) => {
    expectRequestRefused(await ask(list, { where }), 400, 'QUERY_TOO_COMPLEX');
  });

  test('the conditions of several variables are counted together', async () => {
    const where = { or: Array.from({ length: 600 }, () => ({})) };
    expect(expectData(await ask(list, { where }))).toEqual({ notes: { totalCount: 1 } });
    const names = ['a', 'b', 'c', 'd'];
    const declared = names.map((name) => `$${name}: [NoteWhere!]`).join(' ');
    const fields = names.map((name) => `${name}: notes(where: { or: $${name} }) { totalCount }`).join(' ');
    const variables = Object.fromEntries(names.map((name) => [name, where.or]));
    expectRequestRefused(await ask(`query (${declared}) { ${fields} }`, variables), 400, 'QUERY_TOO_COMPLEX');
  });

  test('a variable’s conditions count once for each of its uses', async () => {
    const where = { or: Array.from({ length: 200 }, () => ({})) };
    const document = `query ($where: NoteWhere!) { notes(where: { or: [${'$where '.repeat(20)}] }) { totalCount } }`;
    const { data, errors } = await ask(document, { where });
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([{ notes: null }, ['QUERY_TOO_COMPLEX']]);
  });

  test('conditions up to the limit, and lists in a write, are not refused', async () => {
    const and = Array.from({ length: 200 }, () => ({ not: { not: { next: { title: { eq: 'x' } } } } }));
    expect(expectData(await ask(list, { where: { and } }))).toEqual({ notes: { totalCount: 0 } });
    await buildChannel(app.database.prisma, site.id, { id: 'things', fields: [{ name: 'data', type: 'json' }] });
    const data = Array.from({ length: 3_000 }, () => ({}));
    const create = 'mutation ($input: ThingsInput!) { createThings(input: $input) { data } }';
    const deadline = Date.now() + 30_000;
    for (;;) {
      const answer = await ask(create, { input: { data } });
      if (answer.status === 400 && Date.now() < deadline) continue;
      expect(expectData(answer)).toEqual({ createThings: { data } });
      return;
    }
  });

  test('a number out of range in a condition is refused with its path', async () => {
    const body = `{"query":${JSON.stringify(list)},"variables":{"where":{"value":{"in":[1e400]}}}}`;
    const headers = { Authorization: `Bearer ${site.master}`, 'Content-Type': 'application/json' };
    const { body: answer } = await send(app, 'POST', path, { headers, body });
    const error = { message: expect.stringMatching(/^value: .* number/) as unknown, extensions: {} };
    const errors = [{ field: 'value', code: 'out_of_range', message: expect.stringContaining('number') as unknown }];
    error.extensions = expect.objectContaining({ code: 'BAD_USER_INPUT', errors });
    expect(answer['errors']).toEqual([expect.objectContaining(error)]);
  });
});

describe('the schema', () => {
  test('the schema describes each name that was changed because it was taken', async () => {
    const schema = buildSchema((await master.rest('GET', `${path}/schema.graphql`)).text);
    const reference = schema.getType('NoteReferenceWhere') as GraphQLInputObjectType;
    const sort = schema.getType('NoteSort') as GraphQLEnumType;
    const descriptions = [
      ...Object.values(reference.getFields()),
      ...sort.getValues(),
      ...Object.values((schema.getType('NoteWhere') as GraphQLInputObjectType).getFields()),
    ].filter(({ name }) => name.endsWith('_'));
    expect(descriptions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['eq_', 'status_', 'STATUS_ASC_', 'STATUS_DESC_']),
    );
    for (const { name, description } of descriptions) {
      expect([name, description]).toEqual([name, expect.stringContaining(`because \`${name.slice(0, -1)}\` is taken`)]);
    }
  });

  test('a subscription in the site’s schema is refused with the path of the stream', async () => {
    const { status, errors } = await ask('subscription { changes { cursor } }');
    const message = 'This schema has no subscriptions. POST /graphql/stream has those of the static schema.';
    expect([status, errors?.map((error) => error.message)]).toEqual([400, [message]]);
  });

  test('the schema of a large site may exceed ANSWER_LIMIT', async () => {
    const own = await buildSite(app.database.prisma);
    const hint = 'It says what the field is for. '.repeat(2);
    for (let channel = 0; channel < 6; channel += 1) {
      const fields = Array.from({ length: 60 }, (_, at) => ({ name: `field_${at}`, type: 'string' as const, hint }));
      await buildChannel(app.database.prisma, own.id, { id: `channel-${channel}`, fields });
    }
    const texts = await Promise.all(
      Array.from({ length: 5 }, () => as(app, { token: own.master }).rest('GET', `${path}/schema.graphql`)),
    );
    for (const { status, text } of texts) {
      expect([status, text.length > 200_000, text]).toEqual([200, true, texts[0]?.text]);
    }
  });
});

test.each(['/graphql', path])('HEAD %s is GET without the body', async (at) => {
  const query = `${at}?query=${encodeURIComponent('{ channels { id } }')}`;
  const [got, head] = [await master.rest('GET', query), await master.rest('HEAD', query)];
  expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
    ...[200, ''],
    got.headers.get('content-length'),
  ]);
  const write = `${at}?query=${encodeURIComponent('mutation { __typename }')}`;
  expect((await master.rest('HEAD', write)).status).toBe((await master.rest('GET', write)).status);
});
