// Each operation records what it stores of entries and channels (docs/contract.md §9), or there is a reason why it does not.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../../src/features.ts';
import type { Caller } from '../../support/as.ts';
import { buildEntry, buildSite } from '../../support/build.ts';
import { films, ndjson } from '../../support/films.ts';
import { FeedReader } from '../../support/feed.ts';
import { entryway, serve, type ServiceProcess } from '../../support/process.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';
import { scratchDirectory } from '../../support/scratch.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';
import { as } from '../../support/as.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const path = '/channels/articles/entries';

/** What does an operation, and what is then recorded. */
interface Recorded {
  readonly ask: (master: Caller, id: string) => Promise<{ readonly status: number }>;
  readonly types: readonly string[];
}

const reads = 'it reads';
const others = 'it stores nothing of entries and channels';

const rows: Record<keyof typeof operations, Recorded | string> = {
  createEntry: {
    ask: (master) => master.rest('POST', path, { body: { title: 'New' } }),
    types: ['entry.created'],
  },
  createEntries: {
    ask: (master) =>
      master.rest('POST', `${path}/bulk`, { body: { operations: [1, 2].map(() => ({ op: 'create', data: {} })) } }),
    types: ['entry.created', 'entry.created'],
  },
  updateEntry: {
    ask: (master, id) => master.rest('PATCH', `${path}/${id}`, { body: { _acl: { '*': { read: false } } } }),
    types: ['entry.updated'],
  },
  publishEntry: {
    ask: (master, id) => master.rest('POST', `${path}/${id}/publish`, { body: { entry: { title: 'New' } } }),
    types: ['entry.updated'],
  },
  unpublishEntry: {
    ask: (master, id) => master.rest('POST', `${path}/${id}/unpublish`),
    types: ['entry.updated', 'entry.unpublished'],
  },
  deleteEntry: {
    ask: (master, id) => master.rest('DELETE', `${path}/${id}`),
    types: ['entry.unpublished', 'entry.deleted'],
  },
  bulkEntries: {
    ask: (master, id) =>
      master.rest('POST', `${path}/bulk`, {
        body: {
          atomic: true,
          operations: [
            { op: 'update', id, data: { title: 'Other' } },
            { op: 'delete', id },
            { op: 'create', data: {} },
          ],
        },
      }),
    types: ['entry.updated', 'entry.unpublished', 'entry.deleted', 'entry.created'],
  },
  createChannel: {
    ask: (master) => master.rest('POST', '/channels', { body: { id: 'films' } }),
    types: ['channel.created'],
  },
  updateChannel: {
    ask: (master) => master.rest('PATCH', '/channels/articles', { body: { name: 'Other' } }),
    types: ['channel.updated'],
  },
  deleteChannel: {
    ask: (master) => master.rest('DELETE', '/channels/articles?confirm=articles'),
    types: ['channel.deleted'],
  },
  deleteSite: "the site's feed goes with it",
  createSite: 'a new site has neither entries nor channels',
  importSiteRows: 'test/both/moving/site.test.ts reads the feed of an imported site',
  ...{ beginSiteImport: others, finishSiteImport: others, abandonSiteImport: "the site's feed goes with it" },
  ...{ fetchEntry: reads, listEntries: reads, countEntries: reads, fetchChannel: reads, listChannels: reads },
  ...{ previewChannelAcl: reads, explainEntryAccess: reads, describeChannels: reads, fetchRights: reads },
  ...{ listChanges: reads, fetchCustomer: reads, listCustomers: reads, listSessions: reads, listTokens: reads },
  ...{
    listAudit: reads,
    listAllAudit: reads,
    listAllTokens: reads,
    listSites: reads,
    showSite: reads,
    listUsers: reads,
    listMembers: reads,
    listMemberships: reads,
    fetchMember: reads,
    fetchMe: reads,
    fetchRole: reads,
  },
  ...{ createCustomer: others, updateCustomer: others, createSession: others, revokeSession: others },
  ...{ endSession: others, createToken: others, revokeToken: others, createUserToken: others, revokeAnyToken: others },
  ...{ createWebhook: others, updateWebhook: others, deleteWebhook: others, rotateWebhookSecret: others },
  ...{ testWebhook: others, redeliver: others, listWebhooks: reads, fetchWebhook: reads, listDeliveries: reads },
  ...{ rotateToken: others, createUser: others, deleteUser: others, changeMembership: others },
  ...{ setPassword: others, createUserLink: others, signUserOut: others },
  ...{ addProvider: others, removeProvider: others, listProviders: reads },
  ...{ listRoles: reads, setRole: others, createRole: others, updateRole: others, deleteRole: others },
  ...{ listInvitations: reads, fetchInvitation: reads, inviteMember: others, revokeInvitation: others },
  ...{ deleteNamedRole: others, updateMember: others, removeMember: others },
};

/** A scene with an entry, and a reader that has read what there is. */
async function readerAt(): Promise<{ scene: Scene; id: string; reader: FeedReader }> {
  const scene = await buildScene(app, { publishable: true });
  const { id } = await buildEntry(scene.db, scene.channel);
  const reader = new FeedReader();
  await reader.catchUp(scene.master);
  return { scene, id, reader };
}

test('each operation either records changes or is listed with its reason not to', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(operations).sort());
});

describe('an operation that stores something', () => {
  const recorded = Object.entries(rows).filter((row): row is [string, Recorded] => typeof row[1] !== 'string');
  test.each(recorded)('the operation records its change: %s', async (_name, { ask, types }) => {
    const { scene, id, reader } = await readerAt();
    expect((await ask(scene.master, id)).status).toBeLessThan(300);
    const changes = await reader.catchUp(scene.master);
    expect(changes.map(({ type }) => type)).toEqual(types);
    expect(new Set(changes.map(({ actor }) => actor?.kind))).toEqual(new Set(['master']));
  });
});

describe('what is no operation of its own', () => {
  test('entries that are rebuilt after a change of the fields get no record', async () => {
    const { scene, reader } = await readerAt();
    const fields = [{ name: 'title', type: 'string', indexed: true }];
    expect((await scene.master.rest('PATCH', '/channels/articles', { body: { fields } })).status).toBe(200);
    const { derivedVersion, fieldsVersion } = await scene.db.channel.findFirstOrThrow({
      where: { siteId: scene.site.id },
    });
    expect(derivedVersion).toBe(fieldsVersion);
    expect((await reader.catchUp(scene.master)).map(({ type }) => type)).toEqual(['channel.updated']);
  });

  test('a write that fails or changes nothing gets no record', async () => {
    const { scene, id, reader } = await readerAt();
    const { master } = scene;
    expect((await master.rest('PATCH', `${path}/${id}`, { body: {} })).status).toBe(200);
    expect((await master.rest('PATCH', `${path}/${id}`, { body: { _acl: 7 } })).status).toBe(422);
    expect((await master.rest('PATCH', `${path}/${id}`, { body: {}, headers: { 'If-Match': '"9"' } })).status).toBe(
      412,
    );
    expect((await master.rest('PATCH', '/channels/articles', { body: {} })).status).toBe(200);
    expect(await reader.catchUp(master)).toEqual([]);
  });

  test('a request that is repeated with its Idempotency-Key is recorded once', async () => {
    const { scene, reader } = await readerAt();
    for (let sent = 0; sent < 3; sent += 1) {
      const headers = { 'Idempotency-Key': 'once' };
      expect((await scene.master.rest('POST', path, { body: {}, headers })).status).toBe(201);
    }
    expect((await reader.catchUp(scene.master)).map(({ type }) => type)).toEqual(['entry.created']);
  });
});

describe('the command line', () => {
  let place: Workplace;
  let service: ServiceProcess;
  beforeAll(async () => {
    place = await workplace();
    service = await serve({ ...place.environment, LOG_LEVEL: 'warn' });
  });
  afterAll(async () => {
    await service.stop();
    await place.remove();
  });

  test('an import records each entry, and a feed is deleted with its site', async () => {
    const site = await place.inside(({ prisma }) => buildSite(prisma, { id: 'blog' }));
    const file = join(scratchDirectory(), 'films.ndjson');
    writeFileSync(file, ndjson(films(120)));
    const caller = { ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: site.master };
    const { code, stderr } = await entryway(
      ['import', file, '--channel', 'films', '--create-channel', '--json'],
      caller,
    );
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const seen = await new FeedReader('&types=entry.created,channel.created').catchUp(
      as(service, { token: site.master }),
    );
    expect(seen.map(({ type }) => type)).toEqual(['channel.created', ...films(120).map(() => 'entry.created')]);
    expect((await place.run('site delete blog --confirm blog')).code).toBe(0);
    const where = { siteId: 'blog' };
    const left = await place.inside(({ prisma }) =>
      Promise.all([prisma.change.count({ where }), prisma.changeFeed.count({ where })]),
    );
    expect(left).toEqual([0, 0]);
  });
});
