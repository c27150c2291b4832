// Runs the examples of docs/api.md as they stand there, in order, on the demo site; and sees that none is missing.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isObjectType, type GraphQLObjectType } from 'graphql';
import { createDemo } from '../../../src/cli/demo/demo.ts';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { errorTable } from '../../../src/base/errors.ts';
import { enums } from '../../../src/base/enums.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { listParameters } from '../../../src/inputs/lists/listParameters.ts';
import { resolvers, routes } from '../../../src/features.ts';
import { apiExamples, apiPage, type HttpExample } from '../../support/apiExamples.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { demoClient, testDatabase } from '../../support/db.ts';

const blocks = apiExamples();
const requests = blocks.flatMap(({ http }) => http);
const documents = blocks.flatMap(({ graphql }) => graphql?.query ?? []);

let database: PlainDatabase;
let app: TestApp;
/** The page's names for tokens, and what its answers named. */
const names = new Map<string, string>();

beforeAll(async () => {
  database = await testDatabase();
  const demo = await createDemo(demoClient(database));
  app = await startApp({}, database);
  for (const [kind, token] of Object.entries(demo?.tokens ?? {})) names.set(kind, token);
  const customer = await database.prisma.customer.findFirstOrThrow({ where: { siteId: 'demo' } });
  const made = await as(app, { token: tokenOf('master') }).gql<{ createSession: { token: string } }>(
    'mutation ($customer: ID!) { createSession(customer: $customer) { token } }',
    { customer: customer.id },
  );
  names.set('robin', made.data.createSession.token);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

describe.each(blocks.map((block) => [block.line, block] as const))('line %i', (_line, { http, graphql }) => {
  if (http.length > 0) {
    test('each request of the example has the documented answer', async () => {
      for (const example of http) await expectAnswer(example);
    });
  }
  if (graphql !== null) {
    test('the document of the example has the documented answer', async () => {
      const caller = as(app, { token: tokenOf(graphql.who), site: 'demo' });
      const { data, errors } = await caller.gql(filledIn(graphql.query));
      const answer = { data, ...(errors && { errors }) };
      expect(answer).toMatchObject(withNames(graphql.answer, answer) as object);
    });
  }
});

function tokenOf(who: string): string {
  const token = names.get(who);
  if (token === undefined) throw new Error(`Nobody is called ${who}.`);
  return token;
}

/** What a request says, with `<name>` as the value that an earlier answer gave it. */
function filledIn(text: string): string {
  return text.replace(/<(\w+)>/g, (_all, name: string) => tokenOf(name));
}

async function expectAnswer(example: HttpExample): Promise<void> {
  const { Authorization: who = 'public', 'Session-Token': session, ...headers } = example.headers;
  const credentials = {
    ...(who !== 'nobody' && { token: tokenOf(who) }),
    ...(session !== undefined && { session: tokenOf(session) }),
  };
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filledIn(value)]));
  const body = example.body === undefined ? {} : { body: example.body };
  const path = encodeURI(filledIn(example.path));
  const answer = await as(app, credentials).rest<unknown>(example.method, path, { headers: sent, ...body });
  const what = `${example.method} ${example.path}`;
  expect([what, answer.status, answer.status === example.status ? '' : answer.text]).toEqual([
    what,
    example.status,
    '',
  ]);
  if (example.slugs) {
    const slugs = (answer.body as { slug: string }[]).map(({ slug }) => slug);
    expect([what, slugs]).toEqual([what, example.slugs]);
  }
  if (example.members !== undefined) {
    const members = withNames(example.members, answer.body);
    expect({ what, body: answer.body }).toMatchObject({ what, body: members });
  }
  for (const [name, value] of Object.entries(example.answerHeaders))
    expectHeader(name, value, answer.headers.get(name));
}

/** The name that stands for a whole value, as in `<name>`; undefined: it is a value. */
function nameIn(text: string): string | undefined {
  return /^<(\w+)>$/.exec(text)?.[1];
}

/**
 * The members that an answer is to have, with values for names. A name stands for the text that the first answer with it has;
 * later answers have to have the same.
 */
function withNames(expected: unknown, actual: unknown): unknown {
  if (typeof expected === 'string') {
    const name = nameIn(expected);
    if (name === undefined) return expected;
    if (!names.has(name) && typeof actual === 'string') names.set(name, actual);
    return names.get(name) ?? expected;
  }
  if (typeof expected !== 'object' || expected === null) return expected;
  const found = (typeof actual === 'object' ? actual : null) as Record<string, unknown> | null;
  const members = Object.entries(expected).map(([key, value]) => [key, withNames(value, found?.[key])] as const);
  return Array.isArray(expected) ? members.map(([, value]) => value) : Object.fromEntries(members);
}

function expectHeader(name: string, expected: string, value: string | null): void {
  const given = nameIn(expected);
  if (given !== undefined && value !== null) {
    names.set(given, value);
    return;
  }
  const parts = expected.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  expect([name, value]).toEqual([name, expect.stringMatching(new RegExp(`^${parts.join('.*')}$`))]);
}

describe('nothing is without an example', () => {
  test.each([...listParameters])('docs/api.md has an example with the parameter %s', (name) => {
    expect(requests.filter(({ path }) => new RegExp(`[?&]${name}=`).test(path))).not.toEqual([]);
  });

  test.each(Object.entries(enums.FilterOp))(
    'docs/api.md has examples with the operator %s at both doors',
    (graphql, rest) => {
      expect(requests.filter(({ path }) => path.includes(`.${rest}=`))).not.toEqual([]);
      expect(documents.filter((query) => new RegExp(`op: ${graphql}\\b`).test(query))).not.toEqual([]);
    },
  );

  test.each(routes.map(({ method, path }) => [method, path] as const))(
    'docs/api.md has an example of %s %s',
    (method, path) => {
      const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/?]+')}(\\?|$)`);
      const own = path.endsWith(':entry') ? /entries\/(count|bulk)(\?|$)/ : null;
      const examples = requests.filter((each) => each.method === method && pattern.test(each.path));
      expect(examples.filter((each) => !own?.test(each.path))).not.toEqual([]);
    },
  );

  const types = Object.values(createSchema(resolvers).getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );
  test.each(types.filter(({ name }) => /^(Entry|AclRule|Bulk|Operation|PageInfo)/.test(name)))(
    'docs/api.md has an example with each field of $name',
    (type) => {
      const text = documents.join('\n');
      expect(Object.keys(type.getFields()).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
    },
  );

  test('docs/api.md lists each query, mutation and error code', () => {
    const roots = types.filter(({ name }) => name === 'Query' || name === 'Mutation');
    const fields = roots.flatMap((type) => Object.keys(type.getFields()));
    const codes = Object.entries(errorTable).flatMap(([code, { graphql }]) => [code, graphql]);
    expect([...fields, ...codes].filter((name) => !apiPage.includes(`\`${name}\``))).toEqual([]);
  });
});
