// One operation, two doors: the same entry and the same refusal through REST and GraphQL, for every kind of caller.
import { describe, expect, test } from '@jest/globals';
import { errorTable, type ErrorCode, type FieldError } from '../../../src/errors.ts';
import type { Scope } from '../../../src/rules/access.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { entrySelection } from '../../support/expect.ts';
import { graphqlEntry } from '../../both/model/wire.ts';
import { suiteApp } from '../../support/scene.ts';

/** What comes of an operation, said alike for both doors. */
type Outcome = { entry: Record<string, unknown> } | { refusal: string; errors: FieldError[] | undefined };

/** An entry without what two that are made by the same operation differ in: names and times. */
function comparable(entry: Record<string, unknown>): Record<string, unknown> {
  const own = [
    'id',
    'short_id',
    'shortId',
    'slug',
    'url',
    'created_at',
    'createdAt',
    'updated_at',
    'updatedAt',
    'version',
  ];
  const absent = { _acl: null, _owner: null, title_field_value: null };
  return { ...absent, ...Object.fromEntries(Object.entries(entry).filter(([name]) => !own.includes(name))) };
}

interface Operation {
  readonly name: string;
  readonly method: string;
  /** The entry that it is about: each door gets one of its own, alike but for its names. */
  readonly path: (entry: string) => string;
  readonly body?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly field: (entry: string) => string;
}

const create = (body: Record<string, unknown>, input: string): Operation => ({
  name: `create ${JSON.stringify(body)}`,
  method: 'POST',
  path: () => '',
  body,
  field: () => `createEntry(channel: $channel, useAcl: $useAcl, input: ${input}) ${entrySelection}`,
});
const update = (body: Record<string, unknown>, input: string, version?: number): Operation => ({
  name: `update ${JSON.stringify(body)} ${version ?? ''}`,
  method: 'PATCH',
  path: (entry) => `/${entry}`,
  body,
  ...(version !== undefined && { headers: { 'If-Match': `"${version}.x"` } }),
  field: (entry) =>
    `updateEntry(channel: $channel, id: "${entry}", useAcl: $useAcl, ifVersion: ${version ?? null}, input: ${input}) ${entrySelection}`,
});

const operations: Operation[] = [
  create({ title: 'Tea', n: 1 }, '{ fields: { title: "Tea", n: 1 } }'),
  create(
    { title: 'Tea', _status: 'published', _acl: { ada: { read: true } }, _owner: 'bob' },
    '{ fields: { title: "Tea" }, status: PUBLISHED, acl: [{ actor: "ada", read: true }], owner: "bob" }',
  ),
  create({ _status: 'scheduled' }, '{ status: SCHEDULED }'),
  create({ _publish_at: 'soon', slug: 'Not one' }, '{ publishAt: "soon", slug: "Not one" }'),
  create({ _x: 1, _acl: { '': {} } }, '{ fields: { _x: 1 }, acl: [{ actor: "" }] }'),
  create({ slug: 'taken' }, '{ slug: "taken" }'),
  update({ title: 'New', gone: null }, '{ fields: { title: "New", gone: null } }'),
  update({ _acl: null, _owner: null }, '{ acl: null, owner: null }'),
  update({ slug: 'taken' }, '{ slug: "taken" }'),
  update({ _owner: 'x'.repeat(256) }, `{ owner: "${'x'.repeat(256)}" }`),
  update({ title: 'New' }, '{ fields: { title: "New" } }', 1),
  update({ title: 'New' }, '{ fields: { title: "New" } }', 2),
  {
    name: 'fetch',
    method: 'GET',
    path: (entry) => `/${entry}`,
    field: (entry) => `entry(channel: $channel, useAcl: $useAcl, id: "${entry}") ${entrySelection}`,
  },
  {
    name: 'fetch what is absent',
    method: 'GET',
    path: () => '/absent',
    field: () => `entry(channel: $channel, useAcl: $useAcl, id: "absent") ${entrySelection}`,
  },
  {
    name: 'delete',
    method: 'DELETE',
    path: (entry) => `/${entry}`,
    field: (entry) => `deleteEntry(channel: $channel, useAcl: $useAcl, id: "${entry}")`,
  },
];

const app = await suiteApp();

type Scopes = Partial<Record<'createScope' | 'readScope' | 'updateScope' | 'deleteScope', Scope>>;

/** A site with a channel, the callers, and for each door an entry that is alike. */
async function prepare(scopes: Scopes): Promise<{ callers: Record<string, Credentials>; entries: [string, string] }> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles', publishable: true, ...scopes });
  await buildEntry(db, channel, { slug: 'taken' });
  const ada = await buildCustomer(db, site.id, { id: 'ada' });
  const user = await buildUser(db, { memberOf: [site.id] });
  const alike = { owner: 'ada', acl: { bob: { read: true } }, data: { title: 'Old', gone: 1 } };
  const [one, other] = [await buildEntry(db, channel, alike), await buildEntry(db, channel, alike)];
  const callers = {
    master: { token: site.master },
    'master with use_acl': { token: site.master },
    public: { token: site.public },
    'public with a session': { token: site.public, session: ada.session },
    user: { token: user.token, site: site.id },
    'user with a session': { token: user.token, site: site.id, session: ada.session },
  };
  return { callers, entries: [one.id, other.id] };
}

async function throughRest(
  operation: Operation,
  credentials: Credentials,
  entry: string,
  useAcl: boolean,
): Promise<Outcome> {
  const { method, path, body, headers } = operation;
  const address = `/channels/articles/entries${path(entry)}?use_acl=${useAcl}`;
  const answer = await as(app, credentials).rest(method, address, {
    ...(body && { body }),
    ...(headers && { headers }),
  });
  if (answer.status >= 400) {
    const { code, errors } = answer.body as { code: ErrorCode; errors?: FieldError[] };
    return { refusal: errorTable[code].graphql, errors };
  }
  return { entry: answer.status === 204 ? {} : comparable(answer.body) };
}

async function throughGraphql(
  { method, field }: Operation,
  credentials: Credentials,
  entry: string,
  useAcl: boolean,
): Promise<Outcome> {
  const kind = method === 'GET' ? 'query' : 'mutation';
  const { data, errors } = await as(app, credentials).gql<{ result: Record<string, unknown> | string }>(
    `${kind} ($channel: ID!, $useAcl: Boolean!) { result: ${field(entry)} }`,
    { channel: 'articles', useAcl },
  );
  const error = errors?.[0];
  if (error) return { refusal: error.extensions.code, errors: error.extensions.errors };
  if (typeof data.result === 'string') return { entry: {} };
  const { id: channel } = data.result['channel'] as { id: string };
  return { entry: { ...comparable(graphqlEntry(data.result)), channel } };
}

const channels: [string, Scopes][] = [
  ['public', { createScope: 'public', updateScope: 'public', deleteScope: 'public' }],
  ['private', { createScope: 'private', readScope: 'private', updateScope: 'private', deleteScope: 'private' }],
  [
    'read by nobody, written by customers',
    { createScope: 'shared', readScope: 'none', updateScope: 'shared', deleteScope: 'shared' },
  ],
  ['closed', { readScope: 'none' }],
];

const outcomes = new Set<string>();

describe.each(channels)('in a channel that is %s', (_name, scopes) => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_operation, operation) => {
      const { callers } = await prepare(scopes);
      for (const who of Object.keys(callers)) {
        const { callers: fresh, entries } = await prepare(scopes);
        const credentials = fresh[who] ?? {};
        const useAcl = who.endsWith('use_acl');
        const rest = await throughRest(operation, credentials, entries[0], useAcl);
        const graphql = await throughGraphql(operation, credentials, entries[1], useAcl);
        expect({ who, ...graphql }).toEqual({ who, ...rest });
        outcomes.add('entry' in rest ? 'entry' : rest.refusal);
      }
    },
  );
});

test('both kinds of outcome were seen, and every refusal that these operations can meet', () => {
  const expected = ['BAD_USER_INPUT', 'CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED', 'entry'];
  expect([...outcomes].sort()).toEqual(expected);
});
