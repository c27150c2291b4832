// The feed of changes by REST and GraphQL (docs/contract.md §9): what is recorded, how it is read, and where it ends.
import { describe, expect, test } from '@jest/globals';
import { withEntries } from '../../../src/entries/model.ts';
import type { Caller, RestAnswer } from '../../support/as.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import type { ChangeActor } from '../../support/feed.ts';
import { buildCallers, buildScene, suiteApp, type Scene } from '../../support/scene.ts';
import { as } from '../../support/as.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const path = '/channels/articles/entries';

interface Change {
  cursor: string;
  type: string;
  at: string;
  channel: string;
  id: string | null;
  version: number | null;
  actor?: ChangeActor | null;
  entry?: { id: string; title?: string } | null;
}
interface Page {
  changes: Change[];
  cursor: string;
  more: boolean;
}

async function read(caller: Caller, query = '', from = '/changes'): Promise<Page> {
  const answer: RestAnswer<Page> = await caller.rest('GET', `${from}${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The types of a page's changes, with the number of the entry that each is of. */
function summary({ changes }: Page, ids: readonly string[] = []): string[] {
  return changes.map(({ type, id, version }) => `${type} ${id === null ? '-' : ids.indexOf(id)} ${version ?? '-'}`);
}

async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', path, { body }), 201).id;
}

describe('what is recorded', () => {
  test('the feed has each stored change of entries and channels, once, in order', async () => {
    const scene = await buildScene(app, { publishable: true });
    const { master } = scene;
    const { cursor } = await read(master, '?after=now');
    const id = await create(scene, { title: 'One' });
    await master.rest('PATCH', `${path}/${id}`, { body: { title: 'Two' } });
    await master.rest('PATCH', `${path}/${id}`, { body: { title: 'Two' } });
    await master.rest('PATCH', `${path}/${id}`, { body: { _status: 'published' } });
    await master.rest('PATCH', `${path}/${id}`, { body: { _status: 'draft' } });
    await master.rest('PATCH', `${path}/${id}`, { body: { _status: 'published' } });
    await master.rest('DELETE', `${path}/${id}`);
    await master.rest('PATCH', '/channels/articles', { body: { name: 'New name' } });
    await master.rest('POST', '/channels', { body: { id: 'films' } });
    await master.rest('DELETE', '/channels/films?confirm=films');
    const page = await read(master, `?after=${cursor}`);
    expect(summary(page, [id])).toEqual([
      ...['entry.created 0 1', 'entry.updated 0 2', 'entry.updated 0 3', 'entry.published 0 3'],
      ...['entry.updated 0 4', 'entry.unpublished 0 4', 'entry.updated 0 5', 'entry.published 0 5'],
      ...['entry.unpublished 0 5', 'entry.deleted 0 5'],
      ...['channel.updated - -', 'channel.created - -', 'channel.deleted - -'],
    ]);
    expect(page.more).toBe(false);
    expect(page.changes.map(({ channel }) => channel)).toEqual([
      ...Array.from({ length: 11 }, () => 'articles'),
      ...['films', 'films'],
    ]);
  });

  test('the feed has the operations of a bulk request, all or none', async () => {
    const scene = await buildScene(app);
    const { master } = scene;
    const id = await create(scene, { title: 'One' });
    const { cursor } = await read(master);
    const operations = [
      { op: 'create', data: { title: 'Two' } },
      { op: 'update', id, data: { title: 'Three' } },
      { op: 'delete', id },
    ];
    const answer = await master.rest<{ results: { status: number }[] }>('POST', `${path}/bulk`, {
      body: { operations: [...operations, { op: 'delete', id: 'nowhere' }], atomic: true },
    });
    expect(answer.status).toBe(200);
    expect(await read(master, `?after=${cursor}`)).toEqual({ changes: [], cursor, more: false });
    await master.rest('POST', `${path}/bulk`, { body: { operations } });
    const { changes } = await read(master, `?after=${cursor}`);
    expect(changes.map(({ type }) => type)).toEqual(['entry.created', 'entry.updated', 'entry.deleted']);
  });
});

describe('how it is read', () => {
  test('the feed is read page by page, from any cursor', async () => {
    const scene = await buildScene(app, { publishable: true });
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) ids.push(await create(scene, { title, _status: 'published' }));
    const whole = await read(scene.master, '?types=entry.created,entry.published');
    expect(summary(whole, ids)).toEqual(
      [0, 1, 2].flatMap((index) => [`entry.created ${index} 1`, `entry.published ${index} 1`]),
    );
    for (const limit of [1, 2, 3, 5, 6]) {
      const found: Change[] = [];
      let page = await read(scene.master, `?limit=${limit}&types=entry.created,entry.published`);
      for (found.push(...page.changes); page.more; found.push(...page.changes)) {
        expect(page.changes).toHaveLength(limit);
        page = await read(scene.master, `?limit=${limit}&types=entry.created,entry.published&after=${page.cursor}`);
      }
      expect(found).toEqual(whole.changes);
    }
    for (const [index, { cursor }] of whole.changes.entries()) {
      const rest = await read(scene.master, `?types=entry.created,entry.published&after=${cursor}`);
      expect(rest.changes).toEqual(whole.changes.slice(index + 1));
    }
  });

  test('the feed has the entries as they are now', async () => {
    const scene = await buildScene(app);
    const [one, two] = [await create(scene, { title: 'One' }), await create(scene, { title: 'Two' })];
    await scene.master.rest('PATCH', `${path}/${one}`, { body: { title: 'Now' } });
    await scene.master.rest('DELETE', `${path}/${two}`);
    const { changes } = await read(scene.master, '?include=entry', '/channels/articles/changes');
    expect(changes.map(({ type, entry }) => [type, entry?.title ?? null])).toEqual([
      ...[
        ['channel.created', null],
        ['entry.created', 'Now'],
        ['entry.created', null],
      ],
      ...[
        ['entry.updated', 'Now'],
        ['entry.deleted', null],
      ],
    ]);
  });

  test('the feed over GraphQL equals that over REST', async () => {
    const scene = await buildScene(app);
    const id = await create(scene, { title: 'One' });
    const query = `query ($after: String) { changes(channel: "articles", after: $after, first: 1, types: ["entry.created"])
      { nodes { cursor type at channel id version actor { kind token user customer name } entry { id titleFieldValue } }
        cursor more } }`;
    const { data, errors } = await scene.master.gql<{ changes: { nodes: Change[]; cursor: string; more: boolean } }>(
      query,
    );
    expect(errors).toBeUndefined();
    const rest = await read(scene.master, '?types=entry.created');
    const [change] = rest.changes;
    const actor = { ...change?.actor, kind: change?.actor?.kind.toUpperCase() };
    expect(data.changes).toEqual({
      nodes: [{ ...change, actor, entry: { id, titleFieldValue: 'One' } }],
      cursor: rest.cursor,
      more: false,
    });
    expect((await scene.master.gql<typeof data>(query, { after: data.changes.cursor })).data.changes.nodes).toEqual([]);
  });

  test.each([
    ['?after=nonsense', 'after'],
    ['?after=AAAAAAAAAAAAAAAAAAAAAA', 'after'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?limit=x', 'limit'],
    ['?types=entry.craeted', 'entry.created'],
    ['?types=', 'types'],
    ['?include=fields', 'include'],
    ['?sort=at', 'sort'],
  ])('the feed refuses %s', async (query, named) => {
    const { master } = await buildScene(app);
    const answer = await master.rest<{ detail: string }>('GET', `/changes${query}`);
    expectProblem(answer, 'bad_request');
    expect(answer.body.detail).toContain(named);
  });

  test('the feed refuses a cursor of another site', async () => {
    const [one, two] = [await buildScene(app), await buildScene(app)];
    const { cursor } = await read(one.master);
    expectProblem(await two.master.rest('GET', `/changes?after=${cursor}`), 'bad_request');
  });

  test('the feed answers 410 after records that are no longer kept', async () => {
    const scene = await buildScene(app);
    const { cursor } = await read(scene.master, '?limit=1');
    for (const title of ['a', 'b', 'c']) await create(scene, { title });
    const { cursor: last } = await read(scene.master);
    const { entry } = withEntries(app.database.prisma, app.database.statements);
    expect(await entry.dropChanges([scene.site.id], new Date(0), 2)).toBe(0);
    expect(await entry.dropChanges([scene.site.id], new Date(Date.now() + 1_000), 2)).toBe(2);
    expectProblem(await scene.master.rest('GET', `/changes?after=${cursor}`), 'cursor_expired');
    expect((await read(scene.master)).changes).toHaveLength(2);
    expect((await read(scene.master, `?after=${last}`)).changes).toEqual([]);
  });

  test('the old records of several sites are dropped together', async () => {
    const scenes = [await buildScene(app), await buildScene(app), await buildScene(app)];
    for (const scene of scenes) await create(scene, { title: 'One' });
    for (const scene of scenes) await read(scene.master);
    const { entry } = withEntries(app.database.prisma, app.database.statements);
    const sites = scenes.map(({ site }) => site.id);
    expect(await entry.dropChanges(sites, new Date(Date.now() + 1_000), 100)).toBeGreaterThan(0);
    for (const { master } of scenes) expect((await read(master)).changes).toEqual([]);
  });
});

describe('under the access of its reader', () => {
  test('the feed reports an entry that becomes hidden as removed, and no entry that was never visible', async () => {
    const scene = await buildScene(app, { publishable: true, readScope: 'public' });
    const { master, visitor } = scene;
    const callers = await buildCallers(scene);
    const ids = {
      draft: await create(scene, { title: 'draft' }),
      open: await create(scene, { title: 'open', _status: 'published' }),
      denied: await create(scene, { title: 'denied', _status: 'published', _acl: { '*': { read: false } } }),
      editors: await create(scene, {
        title: 'editors',
        _status: 'published',
        _acl: { '*': { read: false }, 'role:editor': { read: true } },
      }),
    };
    const names = Object.values(ids);
    expect(summary(await read(visitor), names)).toEqual(['entry.created 1 1', 'entry.published 1 1']);
    const ada = as(app, callers.ada);
    expect(summary(await read(ada), names)).toEqual([
      ...['entry.created 1 1', 'entry.published 1 1', 'entry.created 3 1', 'entry.published 3 1'],
    ]);
    const { cursor } = await read(visitor);
    await master.rest('PATCH', `${path}/${ids.open}`, { body: { _acl: { '*': { read: false } } } });
    await master.rest('PATCH', `${path}/${ids.denied}`, { body: { _acl: {} } });
    await master.rest('DELETE', `${path}/${ids.editors}`);
    await master.rest('DELETE', `${path}/${ids.draft}`);
    const page = await read(visitor, `?after=${cursor}&include=entry`);
    expect(summary(page, names)).toEqual(['entry.removed 1 -', 'entry.updated 2 2']);
    expect(page.changes.map(({ entry }) => entry?.id ?? null)).toEqual([null, ids.denied]);
  });

  test("the feed reports entries that a channel's scope or publishing shows or hides", async () => {
    const scene = await buildScene(app, { publishable: true, readScope: 'public' });
    const { master, visitor } = scene;
    const ids = [await create(scene, { title: 'a', _status: 'published' }), await create(scene, { title: 'b' })];
    let { cursor } = await read(visitor);
    const after = async (body: Record<string, unknown>): Promise<string[]> => {
      expect((await master.rest('PATCH', '/channels/articles?confirm=articles', { body })).status).toBe(200);
      const page = await read(visitor, `?after=${cursor}`);
      ({ cursor } = page);
      return summary(page, ids);
    };
    expect(await after({ acl: { read: 'private' } })).toEqual(['entry.removed 0 -']);
    expect(await after({ acl: { read: 'public' } })).toEqual(['entry.updated 0 1']);
    expect(await after({ publishable: false })).toEqual(['entry.published 1 1']);
    expect(await after({ publishable: true })).toEqual(['entry.removed 1 -']);
    expect(await after({ name: 'Renamed' })).toEqual([]);
    const seen = await read(master, '?types=entry.published,entry.unpublished,channel.updated');
    expect(summary(seen, ids)).toEqual([
      ...['entry.published 0 1', 'channel.updated - -', 'channel.updated - -'],
      ...['channel.updated - -', 'entry.published 1 1', 'channel.updated - -', 'entry.unpublished 1 1'],
      'channel.updated - -',
    ]);
  });

  test('a cursor of the feed does not reveal hidden changes', async () => {
    const scene = await buildScene(app, { readScope: 'none' });
    const cursors = new Set<string>();
    for (let at = 0; at < 3; at += 1) cursors.add((await read(scene.visitor, '?after=now')).cursor);
    expect(cursors.size).toBe(3);
    await create(scene, { title: 'hidden' });
    for (const after of cursors) expect((await read(scene.visitor, `?after=${after}`)).changes).toEqual([]);
  });
});
