// What the feed tells a member's user token (docs/contract.md §9.1): what the token may read, with the session that comes with it.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller, type Credentials } from '../../support/as.ts';
import { openEvents } from '../../support/eventStream.ts';
import { expectEntry } from '../../support/expect.ts';
import { FeedReader, readFeed, type Change } from '../../support/feed.ts';
import { buildCallers, buildScene, suiteApp, type CallerName, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const path = '/channels/articles/entries';

type World = Scene & {
  readonly credentials: Record<CallerName, Credentials>;
  readonly callers: Record<CallerName, Caller>;
};

async function build(channel: Parameters<typeof buildScene>[1] = {}): Promise<World> {
  const scene = await buildScene(app, { publishable: true, readScope: 'public', ...channel });
  const credentials = await buildCallers(scene);
  const callers = Object.fromEntries(Object.entries(credentials).map(([name, each]) => [name, as(app, each)]));
  return { ...scene, credentials, callers: callers as Record<CallerName, Caller> };
}

async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', path, { body }), 201).id;
}

/** The types of changes, with the place of their entry among some ids, and the version. */
function summary(changes: readonly Change[], ids: readonly string[]): string[] {
  return changes.map(({ type, id, version }) => `${type} ${id === null ? '-' : ids.indexOf(id)} ${version ?? '-'}`);
}

/** Entries that everybody, nobody, and editors may read. The first is a draft. */
async function createThree(scene: Scene): Promise<string[]> {
  return [
    await create(scene, { title: 'open' }),
    await create(scene, { title: 'closed', _acl: { '*': { read: false } }, _status: 'published' }),
    await create(scene, {
      title: 'editors',
      _acl: { '*': { read: false }, 'role:editor': { read: true } },
      _status: 'published',
    }),
  ];
}

describe('a user token', () => {
  test('the feed of a user token has the entries that it may read, drafts included; with a session, those of its customer', async () => {
    const world = await build();
    const { cursor } = await readFeed(world.master, '?after=now');
    const ids = await createThree(world);
    const told = async (name: CallerName): Promise<string[]> =>
      summary((await readFeed(world.callers[name], `?after=${cursor}`)).changes, ids);
    expect(await told('user')).toEqual(['entry.created 0 1']);
    expect(await told('user+bob')).toEqual(['entry.created 0 1']);
    expect(await told('user+ada')).toEqual(['entry.created 0 1', 'entry.created 2 1', 'entry.published 2 1']);
    expect(await told('master')).toHaveLength(5);
  });

  test('the feed of a user token reports an entry that becomes hidden, and the deletion of a visible one', async () => {
    const world = await build();
    const ids = await createThree(world);
    const [open = '', closed = ''] = ids;
    const { cursor } = await readFeed(world.master, '?after=now');
    await world.master.rest('PATCH', `${path}/${open}`, { body: { _status: 'published' } });
    await world.master.rest('PATCH', `${path}/${open}`, { body: { _acl: { '*': { read: false } } } });
    await world.master.rest('PATCH', `${path}/${open}`, { body: { title: 'hidden' } });
    await world.master.rest('PATCH', `${path}/${open}`, { body: { _acl: {} } });
    for (const id of [open, closed]) await world.master.rest('DELETE', `${path}/${id}`);
    const { changes } = await readFeed(world.callers.user, `?after=${cursor}`);
    expect(summary(changes, ids)).toEqual([
      ...['entry.updated 0 2', 'entry.published 0 2', 'entry.removed 0 -'],
      ...['entry.updated 0 5', 'entry.unpublished 0 5', 'entry.deleted 0 5'],
    ]);
    for (const [type, count] of [
      ['entry.removed', 1],
      ['entry.deleted', 1],
      ['entry.unpublished', 1],
      ['entry.updated', 2],
      ['channel.removed', 0],
    ] as const) {
      const page = await readFeed(world.callers.user, `?after=${cursor}&types=${type}`);
      expect([type, page.changes.length]).toEqual([type, count]);
    }
  });

  test('the feed of a user token reports entries that a scope shows or hides, and publications of visible ones', async () => {
    const world = await build();
    const ids = await createThree(world);
    const reader = new FeedReader();
    await reader.catchUp(world.callers.user);
    const after = async (body: Record<string, unknown>): Promise<string[]> => {
      expect((await world.master.rest('PATCH', '/channels/articles?confirm=articles', { body })).status).toBe(200);
      return summary(await reader.catchUp(world.callers.user), ids).sort();
    };
    expect(await after({ acl: { read: 'private' } })).toEqual(['channel.updated - -', 'entry.removed 0 -']);
    expect(await after({ publishable: false })).toEqual(['channel.updated - -']);
    expect(await after({ acl: { read: 'public' } })).toEqual(['channel.updated - -', 'entry.updated 0 1']);
    expect(await after({ publishable: true })).toEqual(['channel.updated - -', 'entry.unpublished 0 1']);
    expect(await after({ acl: { read: 'shared' }, publishable: false })).toEqual([
      ...['channel.updated - -', 'entry.removed 0 -'],
    ]);
    expect(await after({ acl: { read: 'public' }, publishable: true })).toEqual([
      ...['channel.updated - -', 'entry.unpublished 0 1', 'entry.updated 0 1'],
    ]);
  });

  test('the feed of a user token has all changes of channels, also of one whose entries it may not read', async () => {
    const world = await build({ readScope: 'none' });
    await createThree(world);
    const { cursor } = await readFeed(world.callers.user, '?after=now');
    await world.master.rest('PATCH', '/channels/articles', { body: { name: 'Other' } });
    await world.master.rest('POST', '/channels', { body: { id: 'films' } });
    await world.master.rest('DELETE', '/channels/articles?confirm=articles');
    const { changes } = await readFeed(world.callers.user, `?after=${cursor}`);
    expect(summary(changes, [])).toEqual(['channel.updated - -', 'channel.created - -', 'channel.deleted - -']);
  });

  test('the cursors of a user token reveal no hidden changes, and another reader’s cursor shows none', async () => {
    const world = await build({ readScope: 'none' });
    const cursors = new Set<string>();
    for (let at = 0; at < 3; at += 1) cursors.add((await readFeed(world.callers.user, '?after=now')).cursor);
    expect(cursors.size).toBe(3);
    const { cursor } = await readFeed(world.master, '?after=now');
    const id = await create(world, { title: 'hidden' });
    await world.master.rest('PATCH', `${path}/${id}`, { body: { title: 'more' } });
    await world.master.rest('DELETE', `${path}/${id}`);
    for (const after of [cursor, ...cursors]) {
      expect((await readFeed(world.callers.user, `?after=${after}`)).changes).toEqual([]);
    }
  });
});

test('use_acl does not narrow the feed of a master token', async () => {
  const world = await build();
  const { cursor } = await readFeed(world.master, '?after=now');
  await createThree(world);
  const all = await readFeed(world.master, `?after=${cursor}`);
  expect(await readFeed(world.master, `?after=${cursor}&use_acl=true`)).toEqual(all);
  expect(all.changes).toHaveLength(5);
});

test('stream, subscription, long poll and GraphQL send a user token the changes that it may read, and no hidden ones', async () => {
  const world = await build();
  const { cursor } = await readFeed(world.master, '?after=now');
  const { user } = world.credentials;
  const query = `subscription { changes(after: "${cursor}") { type id } }`;
  const stream = await openEvents(app, `/changes?after=${cursor}`, user);
  const subscription = await openEvents(app, '/graphql/stream', user, {}, 'POST', { query });
  const waiting = world.callers.user.rest<{ changes: Change[] }>('GET', `/changes?after=${cursor}`, {
    headers: { Prefer: 'wait=60' },
  });
  await create(world, { title: 'closed', _acl: { '*': { read: false } } });
  const id = await create(world, { title: 'open' });
  const [event] = await stream.take(1);
  const [result] = await subscription.take(1);
  expect(JSON.parse(event?.data ?? 'null')).toMatchObject({ type: 'entry.created', id });
  expect(JSON.parse(result?.data ?? 'null')).toEqual({ data: { changes: { type: 'entry.created', id } } });
  expect((await waiting).body.changes.map((change) => change.id)).toEqual([id]);
  const { data } = await world.callers.user.gql<{ changes: { nodes: Change[] } }>(
    `{ changes(after: "${cursor}") { nodes { type id } } }`,
  );
  expect(data.changes.nodes).toEqual([{ type: 'entry.created', id }]);
  for (const reader of [stream, subscription]) reader.close();
});
