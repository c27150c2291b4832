// Publishing by operations of its own (docs/contract.md §4.5): what they store, by each door, who may, and what is refused.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectData, expectProblem } from '../../support/expect.ts';
import { buildCallers, buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const path = '/channels/articles/entries/one';
const later = '2990-01-01T00:00:00.000Z';
const earlier = '1990-01-01T00:00:00.000Z';

type Entry = Record<string, unknown>;
type State = readonly [status: unknown, publishAt: unknown, version: number];

async function buildOne(entry: Parameters<typeof buildEntry>[2] = {}): Promise<Scene> {
  const fields = [
    { name: 'title', type: 'string', required: true },
    { name: 'note', type: 'text' },
  ] as const;
  const scene = await buildScene(app, { publishable: true, fields: [...fields], updateScope: 'shared' });
  await buildEntry(scene.db, scene.channel, { slug: 'one', status: 'draft', data: { title: 'One' }, ...entry });
  return scene;
}

const post = (caller: Caller, verb: string, body?: unknown, headers: Record<string, string> = {}) =>
  caller.rest<Entry>('POST', `${path}/${verb}`, { headers, ...(body !== undefined && { body }) });

/** The state of an answered entry: the version stands in its tag. */
function stateOf({ status, body, headers }: RestAnswer<Entry>): State {
  expect([status, body['detail']]).toEqual([200, undefined]);
  return [body['_status'], body['_publish_at'], Number(/\d+/.exec(headers.get('etag') ?? '')?.[0])];
}

/** The codes of what is wrong, by field. */
function codesOf({ body }: RestAnswer<Entry>): string[] {
  return (body['errors'] as { field: string; code: string }[]).map(({ field, code }) => `${field}: ${code}`);
}

describe('what is stored', () => {
  test('publishing stores the sent time, the one that is there, or none; scheduled where it is to come', async () => {
    const { master, visitor } = await buildOne();
    expect(stateOf(await post(master, 'publish', { publish_at: later }))).toEqual(['scheduled', later, 2]);
    expect((await visitor.rest('GET', path)).status).toBe(404);
    expect(stateOf(await post(master, 'publish'))).toEqual(['scheduled', later, 2]);
    expect(stateOf(await post(master, 'publish', { publish_at: earlier }))).toEqual(['published', earlier, 3]);
    expect(stateOf(await post(master, 'publish', {}))).toEqual(['published', earlier, 3]);
    expect(stateOf(await post(master, 'publish', { publish_at: null }))).toEqual(['published', null, 4]);
    expect((await visitor.rest('GET', path)).status).toBe(200);
    expect(stateOf(await post(master, 'unpublish'))).toEqual(['draft', null, 5]);
    expect((await visitor.rest('GET', path)).status).toBe(404);
    expect(stateOf(await post(master, 'unpublish', {}))).toEqual(['draft', null, 5]);
    expect(stateOf(await post(master, 'publish'))).toEqual(['published', null, 6]);
  });

  test('an update that is sent with a publication is stored in the same write, with one change in the feed', async () => {
    const { master } = await buildOne();
    const { cursor } = (await master.rest<{ cursor: string }>('GET', '/changes?after=now')).body;
    const answer = await post(master, 'publish', { entry: { title: 'Two', note: 'new', _owner: 'ada' } });
    expect(stateOf(answer)).toEqual(['published', null, 2]);
    expect(answer.body).toMatchObject({ title: 'Two', note: 'new', _owner: 'ada' });
    const { changes } = (await master.rest<{ changes: object[] }>('GET', `/changes?after=${cursor}`)).body;
    expect(changes).toMatchObject([
      { type: 'entry.updated', version: 2, actor: { kind: 'master' } },
      { type: 'entry.published', version: 2, actor: { kind: 'master' } },
    ]);
  });

  test('GraphQL, bulk and the schema of the site publish and unpublish as REST does', async () => {
    const { master } = await buildOne();
    const entry = '{ status publishAt version }';
    const whole = `publication: { publishAt: "${later}", entry: { fields: { note: "new" } } }`;
    expect(
      expectData(await master.gql(`mutation { publishEntry(channel: "articles", id: "one", ${whole}) ${entry} }`)),
    ).toEqual({
      publishEntry: { status: 'SCHEDULED', publishAt: later, version: 2 },
    });
    expect(
      expectData(await master.gql(`mutation { unpublishEntry(channel: "articles", id: "one") ${entry} }`)),
    ).toEqual({
      unpublishEntry: { status: 'DRAFT', publishAt: null, version: 3 },
    });
    const site = { path: '/graphql/site' };
    const typed = `mutation { publishArticles(id: "one", publication: { entry: { note: "typed" } }, ifVersion: 3) { status note } }`;
    expect(expectData(await master.gql(typed, {}, site))).toEqual({
      publishArticles: { status: 'PUBLISHED', note: 'typed' },
    });
    expect(expectData(await master.gql('mutation { unpublishArticles(id: "one") { status } }', {}, site))).toEqual({
      unpublishArticles: { status: 'DRAFT' },
    });
    const operations = [
      { op: 'publish', id: 'one', if_match: '"5.x"', data: { publish_at: later, entry: { title: 'Bulk' } } },
      { op: 'unpublish', id: 'one' },
      { op: 'publish', id: 'one', data: { status: 1 } },
      { op: 'unpublish', id: 'one', data: { publish_at: null } },
      { op: 'publish' },
    ];
    const { body } = await master.rest<{ results: { status: number; entry?: Entry }[] }>(
      'POST',
      '/channels/articles/entries/bulk',
      {
        body: { operations },
      },
    );
    expect(body.results.map(({ status, entry: shown }) => [status, shown?.['_status']])).toEqual([
      [200, 'scheduled'],
      [200, 'draft'],
      [422, undefined],
      [422, undefined],
      [400, undefined],
    ]);
    const bulk = `mutation { bulkEntries(channel: "articles", operations: [
      { op: PUBLISH, id: "one", publication: { entry: { fields: { note: "bulk" } } } }, { op: UNPUBLISH, id: "one" },
      { op: UNPUBLISH, id: "one", publication: {} }, { op: UPDATE, id: "one", input: {}, publication: {} }
    ]) { results { status entry { status } } } }`;
    expect(expectData(await master.gql(bulk))).toEqual({
      bulkEntries: {
        results: [
          { status: 200, entry: { status: 'PUBLISHED' } },
          { status: 200, entry: { status: 'DRAFT' } },
          { status: 400, entry: null },
          { status: 400, entry: null },
        ],
      },
    });
  });

  test('a publication that is repeated with its Idempotency-Key gets the first answer, and is stored once', async () => {
    const { master } = await buildOne();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await post(master, 'publish', { publish_at: later }, headers);
    await post(master, 'unpublish');
    const again = await post(master, 'publish', { publish_at: later }, headers);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await master.rest<Entry>('GET', path)).body['_status']).toBe('draft');
  });
});

describe('who may', () => {
  test('public tokens, and user tokens with a session, are refused whatever there is, and nothing is stored', async () => {
    const scene = await buildOne({ owner: 'ada', acl: { ada: { read: true, update: true } } });
    const callers = await buildCallers(scene);
    for (const name of ['public', 'ada', 'user+ada'] as const) {
      const caller = as(app, callers[name]);
      const answers: string[] = [];
      for (const verb of ['publish', 'unpublish']) {
        for (const place of ['articles/entries/one', 'articles/entries/none', 'nowhere/entries/one']) {
          const answer = await caller.rest('POST', `/channels/${place}/${verb}`, { body: { wrong: 1 } });
          expectProblem(answer, 'forbidden');
          answers.push(String(answer.body['detail']));
        }
      }
      expect(new Set(answers).size).toBe(1);
      const operations = [{ op: 'publish', id: 'one' }];
      const bulk = { body: { operations } };
      const { body } = await caller.rest<{ results: object[] }>('POST', '/channels/articles/entries/bulk', bulk);
      expect(body.results).toMatchObject([{ status: 403 }]);
    }
    expect((await scene.master.rest<Entry>('GET', path)).body).toMatchObject({ _status: 'draft', _publish_at: null });
  });

  test('a master token with use_acl publishes where the customer of its session passes update', async () => {
    const scene = await buildOne({ acl: { '*': { read: true }, bob: { update: false } } });
    const callers = await buildCallers(scene);
    const ask = (name: 'master' | 'master+ada' | 'master+bob') =>
      as(app, callers[name]).rest<Entry>('POST', `${path}/publish?use_acl=true`);
    expectProblem(await ask('master'), 'forbidden');
    expectProblem(await ask('master+bob'), 'forbidden');
    expect(stateOf(await ask('master+ada'))).toEqual(['published', null, 2]);
  });

  test('the schema of the site has the operations for managers alone, of publishable channels alone', async () => {
    const { db, site, master, visitor } = await buildOne();
    await buildChannel(db, site.id, { id: 'notes' });
    const fieldsOf = async (caller: Caller): Promise<string> =>
      (await caller.rest('GET', '/graphql/site/schema.graphql')).text;
    const [managed, shown] = [await fieldsOf(master), await fieldsOf(visitor)];
    expect(managed).toContain('publishArticles(');
    expect(managed).toContain('input ArticlesPublicationInput');
    expect(managed).not.toContain('publishNotes');
    expect(shown).not.toMatch(/publishArticles|PublicationInput/);
  });
});

describe('what is refused', () => {
  test('If-Match and ifVersion hold a publication to a version: 412', async () => {
    const { master } = await buildOne();
    expectProblem(await post(master, 'publish', { wrong: 1 }, { 'If-Match': '"9.x"' }), 'precondition_failed');
    const { errors } = await master.gql(
      'mutation { unpublishEntry(channel: "articles", id: "one", ifVersion: 9) { id } }',
    );
    expect(errors?.[0]?.extensions.code).toBe('PRECONDITION_FAILED');
    expect(stateOf(await post(master, 'publish', undefined, { 'If-Match': '"1.x"' }))).toEqual(['published', null, 2]);
  });

  test('members that there are not, and all that does not fit, are refused together: 422', async () => {
    const { master } = await buildOne();
    const entry = { title: null, _status: 'draft', _publish_at: null };
    const refused = await post(master, 'publish', { publish_at: 'soon', state: 1, entry });
    expectProblem(refused, 'validation_failed', ['state', '_status', '_publish_at', 'publish_at', 'title']);
    expect(codesOf(refused).sort()).toEqual([
      '_publish_at: unknown_field',
      '_status: unknown_field',
      'publish_at: invalid',
      'state: unknown_field',
      'title: required',
    ]);
    expect(codesOf(await post(master, 'publish', { entry: 7 }))).toEqual(['entry: invalid']);
    expect(codesOf(await post(master, 'unpublish', { publish_at: null }))).toEqual(['publish_at: unknown_field']);
    expectProblem(await post(master, 'publish', []), 'bad_request');
    const typed =
      'mutation { publishEntry(channel: "articles", id: "one", publication: { entry: { status: DRAFT } }) { id } }';
    const { errors } = await master.gql(typed);
    expect(errors?.[0]?.extensions.errors).toMatchObject([{ field: '_status', code: 'unknown_field' }]);
    expect((await master.rest<Entry>('GET', path)).body['_status']).toBe('draft');
  });

  test('a channel that is not publishable: 422 for what does not fit, and else 409 not_publishable', async () => {
    const { db, site, master } = await buildOne();
    const channel = await buildChannel(db, site.id, { id: 'notes', fields: [{ name: 'n', type: 'integer' }] });
    await buildEntry(db, channel, { slug: 'one', data: {} });
    const ask = (verb: string, body?: object) =>
      master.rest<Entry>('POST', `/channels/notes/entries/one/${verb}`, body ? { body } : {});
    expect(codesOf(await ask('publish', { entry: { n: 'x' } }))).toEqual(['n: invalid']);
    for (const verb of ['publish', 'unpublish']) {
      const refused = await ask(verb);
      expectProblem(refused, 'conflict', ['_status']);
      expect(codesOf(refused)).toEqual(['_status: not_publishable']);
    }
  });
});
