// Who made a change (docs/contract.md §9.1): stored with each change, told to master and user tokens, and to nobody else.
import { describe, expect, test } from '@jest/globals';
import { withEntries } from '../../../src/entries/model.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { openEvents } from '../../support/eventStream.ts';
import { expectEntry } from '../../support/expect.ts';
import { readFeed, type Change, type ChangeActor } from '../../support/feed.ts';
import { startReceiver } from '../../support/receiver.ts';
import { buildCallers, buildScene, suiteApp, type CallerName, type Scene } from '../../support/scene.ts';
import { createHook, log, until } from '../../support/webhooks.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });
const path = '/channels/articles/entries';
const open = { createScope: 'public', readScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;
const nobody = { token: null, user: null, customer: null, name: null };
const service = { kind: 'service', ...nobody };

interface World extends Scene {
  readonly credentials: Record<CallerName, Credentials>;
  /** The ids of the site's tokens, and of the member's. */
  readonly ids: Record<'master' | 'public' | 'user' | 'member', string>;
}

async function buildWorld(channel: Parameters<typeof buildScene>[1] = {}): Promise<World> {
  const scene = await buildScene(app, { ...open, ...channel });
  const credentials = await buildCallers(scene);
  const { db, site } = scene;
  const idOf = async (kind: 'master' | 'public'): Promise<string> =>
    (await db.token.findFirstOrThrow({ where: { siteId: site.id, kind } })).id;
  const { userId: member } = await db.membership.findFirstOrThrow({ where: { siteId: site.id } });
  const { id: user } = await db.token.findFirstOrThrow({ where: { userId: member } });
  const ids = { master: await idOf('master'), public: await idOf('public'), user, member };
  return { ...scene, credentials, ids };
}

/** The author that the changes of a caller have. */
function actorOf({ ids }: World, name: CallerName): ChangeActor {
  const [token = '', customer = null] = name.split('+');
  const isCustomer = name === 'ada' || name === 'bob';
  const kind = isCustomer ? 'public' : (token as 'master' | 'public' | 'user');
  const user = kind === 'user' ? ids.member : null;
  return { kind, token: ids[kind], user, customer: isCustomer ? name : customer, name: null };
}

/** What a scene's master token is told behind a cursor: the type of each change, and its author. */
async function told(scene: Scene, after: string): Promise<(readonly [string, Change['actor']])[]> {
  return (await readFeed(scene.master, `?after=${after}`)).changes.map(({ type, actor }) => [type, actor]);
}

const now = async ({ master }: Scene): Promise<string> => (await readFeed(master, '?after=now')).cursor;

describe('the author of a write', () => {
  test.each(['public', 'ada', 'user', 'user+ada', 'master', 'master+ada'] as const)(
    'a create, update, delete, bulk, and each by GraphQL have their caller as author: %s',
    async (name) => {
      const world = await buildWorld();
      const [caller, from, by] = [as(app, world.credentials[name]), await now(world), actorOf(world, name)];
      const { id } = expectEntry(await caller.rest('POST', path, { body: { title: 'One' } }), 201);
      expectEntry(await caller.rest('PATCH', `${path}/${id}`, { body: { title: 'Two' } }), 200);
      expect((await caller.rest('DELETE', `${path}/${id}`)).status).toBe(204);
      const { data, errors } = await caller.gql<{ createEntry: { id: string } }>(
        'mutation { createEntry(channel: "articles", input: { fields: { title: "Three" } }) { id } }',
      );
      expect(errors).toBeUndefined();
      const [update, remove] = [{ op: 'update', data: { title: 'Four' } }, { op: 'delete' }];
      const ofThree = [update, remove].map((each) => ({ ...each, id: data.createEntry.id }));
      const creates = [5, 6, 7, 8, 9].map((number) => ({ op: 'create', data: { title: `Number ${number}` } }));
      for (const atomic of [false, true]) {
        const operations = [...(atomic ? [] : ofThree), ...creates];
        expect((await caller.rest('POST', `${path}/bulk`, { body: { operations, atomic } })).status).toBe(200);
      }
      const key = { 'Idempotency-Key': 'once' };
      expect((await caller.rest('POST', path, { body: { title: 'Last' }, headers: key })).status).toBe(201);
      const [created, updated, deleted] = (['created', 'updated', 'deleted'] as const).map((type) => `entry.${type}`);
      const types = [
        created,
        updated,
        deleted,
        created,
        updated,
        deleted,
        ...Array.from({ length: 11 }, () => created),
      ];
      expect(await told(world, from)).toEqual(types.map((type) => [type, by]));
    },
  );

  test('creates of several callers at the same time have each its own caller as author', async () => {
    const world = await buildWorld();
    const [from, names] = [await now(world), ['public', 'ada', 'bob', 'user', 'master'] as const];
    const made = await Promise.all(
      Array.from({ length: 40 }, async (_each, number) => {
        const name = names[number % names.length] ?? 'public';
        const answer = await as(app, world.credentials[name]).rest('POST', path, { body: { title: `N${number}` } });
        return [expectEntry(answer, 201).id, actorOf(world, name)] as const;
      }),
    );
    const { changes } = await readFeed(world.master, `?after=${from}`);
    expect(new Map(changes.map(({ id, actor }) => [id, actor]))).toEqual(new Map(made));
  });

  test('changes of a channel have the caller that created, changed or deleted it as author, by either door', async () => {
    const world = await buildWorld();
    const [from, by] = [await now(world), actorOf(world, 'master')];
    const { master } = world;
    await master.rest('POST', '/channels', { body: { id: 'films' } });
    await master.rest('PATCH', '/channels/films', { body: { name: 'Films' } });
    await master.rest('DELETE', '/channels/films?confirm=films');
    const { errors } = await master.gql(`mutation {
      createChannel(input: { id: "films" }) { id }
      updateChannel(id: "films", input: { name: "Films" }) { id }
      deleteChannel(id: "films", confirm: "films")
    }`);
    expect(errors).toBeUndefined();
    const types = ['channel.created', 'channel.updated', 'channel.deleted'];
    expect(await told(world, from)).toEqual([...types, ...types].map((type) => [type, by]));
  });
});

describe('changes without a writer', () => {
  test('a publication by time has the service as author, also where a write follows it at once', async () => {
    const world = await buildWorld({ publishable: true });
    const entry = await buildEntry(world.db, world.channel, {
      status: 'scheduled',
      publishAt: new Date(Date.UTC(2990, 0, 1)),
    });
    const from = await now(world);
    await world.db
      .$executeRaw`UPDATE entries SET publish_at = now() WHERE site_id = ${world.site.id} AND id = ${entry.id}::uuid`;
    await world.master.rest('PATCH', `${path}/${entry.id}`, { body: { _status: 'draft' } });
    const by = actorOf(world, 'master');
    const changes = await told(world, from);
    expect(changes).toEqual([
      ['entry.published', service],
      ['entry.updated', by],
      ['entry.unpublished', by],
    ]);
  });

  test('what a new scope of the channel shows and hides has the service as author, the change of the channel its caller', async () => {
    const world = await buildWorld({ publishable: true });
    await buildEntry(world.db, world.channel);
    const from = await now(world);
    await world.master.rest('PATCH', '/channels/articles?confirm=articles', { body: { acl: { read: 'none' } } });
    const user = as(app, world.credentials.user);
    const { changes } = await until(
      () => readFeed(user, `?after=${from}`),
      (page) => page.changes.length === 2,
    );
    expect(changes.map(({ type, actor }) => [type, actor])).toEqual([
      ['channel.updated', actorOf(world, 'master')],
      ['entry.removed', service],
    ]);
  });

  test('changes of the release before, which names no author, have none, whoever changed the channel last', async () => {
    const world = await buildWorld();
    await world.master.rest('PATCH', '/channels/articles', { body: { name: 'Named' } });
    const from = await now(world);
    const { siteId, uid } = world.channel;
    const where = { siteId_uid: { siteId, uid } };
    await world.db.channel.update({ where, data: { name: 'Other', version: { increment: 1 } } });
    await world.db
      .$queryRaw`SELECT entryway_delete_entry(p_site_id => ${siteId}, p_lock => 1, p_channel_uid => ${uid}::uuid,
      p_channel_version => 3, p_at => now(), p_id => ${(await buildEntry(world.db, await world.db.channel.findUniqueOrThrow({ where }))).id}::uuid, p_version => 1)`;
    await world.db.channel.delete({ where });
    expect(await told(world, from)).toEqual([
      ['channel.updated', null],
      ['entry.created', service],
      ['entry.deleted', null],
      ['channel.deleted', null],
    ]);
  });
});

const document = '{ changes(first: 1000) { nodes { type actor { kind token user customer name } } } }';
interface Told {
  readonly changes: { readonly nodes: readonly { readonly type: string; readonly actor: unknown }[] };
}

describe('who is told', () => {
  test('master and user tokens are told of authors in pages, streams and GraphQL', async () => {
    const world = await buildWorld();
    const { id } = expectEntry(
      await as(app, world.credentials.ada).rest('POST', path, { body: { title: 'One' } }),
      201,
    );
    const by = { kind: 'public', token: world.ids.public, user: null, customer: 'ada', name: null };
    for (const name of ['master', 'user', 'user+bob'] as const) {
      const [credentials, caller] = [world.credentials[name], as(app, world.credentials[name])];
      const { changes } = await readFeed(caller);
      expect(changes.find((change) => change.id === id)?.actor).toEqual(by);
      const reader = await openEvents(app, '/changes?types=entry.created', credentials);
      const [event] = await reader.take(1);
      reader.close();
      expect(JSON.parse(event?.data ?? '')).toEqual(changes.find((change) => change.id === id));
      const nodes = (await caller.gql<Told>(document)).data.changes.nodes;
      expect(nodes.at(-1)).toEqual({ type: 'entry.created', actor: { ...by, kind: 'PUBLIC' } });
    }
  });

  test('public tokens are told of no author in pages, streams and GraphQL, with a session neither', async () => {
    const world = await buildWorld();
    expectEntry(await as(app, world.credentials['user+ada']).rest('POST', path, { body: { title: 'One' } }), 201);
    for (const name of ['public', 'ada', 'bob'] as const) {
      const [credentials, caller] = [world.credentials[name], as(app, world.credentials[name])];
      const page = await caller.rest('GET', '/changes?include=entry');
      expect(page.status).toBe(200);
      const reader = await openEvents(app, '/changes?include=entry', credentials);
      const [event] = await reader.take(1);
      reader.close();
      expect(event?.data).toContain('entry.created');
      const { data } = await caller.gql<Told>(document);
      expect(data.changes.nodes).toEqual([{ type: 'entry.created', actor: null }]);
      for (const text of [page.text, event?.data ?? '']) {
        expect(text).not.toContain('actor');
        for (const secret of Object.values(world.ids)) expect(text).not.toContain(secret);
      }
    }
  });

  test('the statement for a public follower does not read authors', async () => {
    const world = await buildWorld();
    expectEntry(await world.master.rest('POST', path, { body: { title: 'One' } }), 201);
    const { entry } = withEntries(world.db, app.database.statements);
    await entry.assignPositions(world.site.id);
    const range = {
      siteId: world.site.id,
      channelUid: null,
      after: 0,
      upTo: 10,
      limit: 9,
      types: null,
      publications: true,
    };
    const viewer = {
      subject: { is: 'anonymous' },
      mayReadPrivateMembers: false,
      now: new Date(),
      at: null,
      within: null,
      isUser: false,
      scopes: null,
    } as const;
    const [hidden, shown] = await Promise.all(
      (['public', 'management'] as const).map((audience) => entry.listChanges({ ...viewer, audience }, range)),
    );
    expect(hidden?.records.map(({ actor }) => actor)).toEqual([null]);
    expect(shown?.records.at(-1)?.actor).toEqual({ kind: 'master', token: world.ids.master });
  });

  test('webhooks of the audience management are told of authors, also redelivered ones; those of the public are not', async () => {
    const world = await buildWorld();
    const receivers = { management: await startReceiver(), public: await startReceiver() };
    const hooks = await Promise.all(
      (['management', 'public'] as const).map(async (audience) => {
        const { url } = receivers[audience];
        return [audience, await createHook(world, { url, audience })] as const;
      }),
    );
    expectEntry(await as(app, world.credentials['user+ada']).rest('POST', path, { body: { title: 'One' } }), 201);
    const actor = actorOf(world, 'user+ada');
    for (const [audience, hook] of hooks) {
      await receivers[audience].wait(1);
      const [delivery] = await until(
        () => log(world, hook),
        (list) => list.length === 1,
      );
      await world.master.rest('POST', `/webhooks/${hook.id}/deliveries/${delivery?.id}/redeliver`);
      const messages = await receivers[audience].wait(2);
      for (const change of [...messages.map(({ body }) => body.data.change), delivery?.change]) {
        expect(change).toMatchObject({ type: 'entry.created', ...(audience === 'management' && { actor }) });
        if (audience === 'public') expect(change).not.toHaveProperty('actor');
      }
    }
  });
});
