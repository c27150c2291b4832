// The routes of what a site's managers manage, each with every kind of caller: what test/once/doors/doors.ts says of them is
// so, and nothing else is written.
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../src/features.ts';
import {
  buildChannel,
  buildCustomer,
  buildInvitation,
  buildMember,
  buildRole,
  buildToken,
  buildWebhook,
  type TestCustomer,
} from '../../support/build.ts';
import { kinds, stateOf, type Place } from '../../support/sites.ts';
import { httpTable } from './doors.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();
const db = app.database.prisma;

/** What is made for one test, for its request to be about. */
interface Things {
  readonly channel: string;
  readonly customer: TestCustomer;
  readonly token: string;
  readonly member: string;
  readonly role: string;
  readonly invitation: string;
  readonly webhook: { readonly id: string; readonly deliveryId: string };
}

let made = 0;
async function buildThings(siteId: string): Promise<Things> {
  made += 1;
  const { id: channel } = await buildChannel(db, siteId, { id: `thing-${made}` });
  const customer = await buildCustomer(db, siteId);
  const { id: token } = await buildToken(db, { kind: 'public', siteId });
  const { id: member } = await buildMember(db, siteId);
  // A site has a bounded number of these, too.
  await db.role.deleteMany({ where: { siteId, id: { not: sites.here.role } } });
  const role = await buildRole(db, siteId, { id: `role-${made}` });
  const { id: invitation } = await buildInvitation(db, siteId);
  // A site has a bounded number of them.
  await db.webhook.deleteMany({ where: { siteId, id: { not: sites.here.webhook.id } } });
  return { channel, customer, token, member, role, invitation, webhook: await buildWebhook(db, siteId) };
}

/** What is there before a request: as good for the next one, as long as none has changed anything. */
interface Scene {
  readonly things: Things;
  readonly states: readonly string[];
}
let unchanged: Scene | undefined;

const states = async () => [await stateOf(sites, sites.here), await stateOf(sites, sites.there)];

async function setScene(): Promise<Scene> {
  const things = await buildThings(sites.here.site.id);
  return { things, states: await states() };
}

/** Requests by route: their path and body, for what was made. */
const asks: Record<string, (things: Things) => [path: string, body?: object]> = {
  'GET /channels': () => ['/channels'],
  'POST /channels': ({ channel }) => ['/channels', { id: `new-${channel}` }],
  'GET /channels/:channel': ({ channel }) => [`/channels/${channel}`],
  'PATCH /channels/:channel': ({ channel }) => [`/channels/${channel}`, { name: 'New' }],
  'DELETE /channels/:channel': ({ channel }) => [`/channels/${channel}?confirm=${channel}`],
  'GET /channels/:channel/acl-preview': ({ channel }) => [`/channels/${channel}/acl-preview?read=none`],
  'GET /channels/:channel/rights': ({ channel }) => [`/channels/${channel}/rights`],
  'GET /customers': () => ['/customers?per_page=250'],
  'POST /customers': () => ['/customers', { name: 'New' }],
  'GET /customers/:customer': ({ customer }) => [`/customers/${customer.id}`],
  'PATCH /customers/:customer': ({ customer }) => [`/customers/${customer.id}`, { name: 'New' }],
  'GET /customers/:customer/sessions': ({ customer }) => [`/customers/${customer.id}/sessions`],
  'POST /customers/:customer/sessions': ({ customer }) => [`/customers/${customer.id}/sessions`, {}],
  'DELETE /sessions/:session': ({ customer }) => [`/sessions/${customer.sessionId}`],
  'GET /openapi.json': () => ['/openapi.json'],
  'GET /me': () => ['/me'],
  'GET /members': () => ['/members?per_page=250'],
  'GET /members/:user': ({ member }) => [`/members/${member}`],
  'PATCH /members/:user': ({ member }) => [`/members/${member}`, { roles: ['viewer'] }],
  'DELETE /members/:user': ({ member }) => [`/members/${member}`],
  'GET /invitations': () => ['/invitations'],
  'POST /invitations': ({ role }) => ['/invitations', { email: `${role}@example.com`, roles: ['viewer'] }],
  'GET /invitations/:invitation': ({ invitation }) => [`/invitations/${invitation}`],
  'DELETE /invitations/:invitation': ({ invitation }) => [`/invitations/${invitation}`],
  'GET /roles': () => ['/roles'],
  'POST /roles': ({ role }) => ['/roles', { id: `new-${role}`, rights: ['read'] }],
  'GET /roles/:role': ({ role }) => [`/roles/${role}`],
  'PATCH /roles/:role': ({ role }) => [`/roles/${role}`, { rights: ['read'] }],
  'DELETE /roles/:role': ({ role }) => [`/roles/${role}?confirm=${role}`],
  'GET /tokens': () => ['/tokens'],
  'POST /tokens': () => ['/tokens', { kind: 'public' }],
  'DELETE /tokens/:token': ({ token }) => [`/tokens/${token}`],
  'GET /audit': () => ['/audit?per_page=250'],
  'GET /webhooks': () => ['/webhooks'],
  'POST /webhooks': () => ['/webhooks', { url: 'https://1.1.1.1', enabled: false }],
  'GET /webhooks/:webhook': ({ webhook }) => [`/webhooks/${webhook.id}`],
  'PATCH /webhooks/:webhook': ({ webhook }) => [`/webhooks/${webhook.id}`, { types: ['entry.created'] }],
  'DELETE /webhooks/:webhook': ({ webhook }) => [`/webhooks/${webhook.id}`],
  'POST /webhooks/:webhook/rotate-secret': ({ webhook }) => [`/webhooks/${webhook.id}/rotate-secret`, {}],
  'POST /webhooks/:webhook/test': ({ webhook }) => [`/webhooks/${webhook.id}/test`, {}],
  'GET /webhooks/:webhook/deliveries': ({ webhook }) => [`/webhooks/${webhook.id}/deliveries`],
  'POST /webhooks/:webhook/deliveries/:delivery/redeliver': ({ webhook: { id, deliveryId } }) => [
    `/webhooks/${id}/deliveries/${deliveryId}/redeliver`,
    {},
  ],
};

/** The lists, and an id in each that the other site does not have. */
const listed: Record<string, (place: Place) => string> = {
  'GET /channels': ({ ownChannel }) => ownChannel,
  'GET /openapi.json': ({ ownChannel }) => ownChannel,
  'GET /customers': ({ ownCustomer }) => ownCustomer.id,
  'GET /me': ({ site }) => site.id,
  'GET /members': ({ member }) => member,
  'GET /invitations': ({ invitation }) => invitation,
  'GET /roles': ({ role }) => role,
  'GET /tokens': ({ tokenId }) => tokenId,
  'GET /audit': ({ auditId }) => auditId,
  'GET /webhooks': ({ webhook }) => webhook.id,
};

const successes: Record<string, number> = { GET: 200, POST: 201, PATCH: 200, DELETE: 204 };
/** What makes nothing that can be fetched. */
const isDone = (door: string): boolean => /\/(rotate-secret|test|redeliver)$/.test(door);

describe.each(Object.entries(asks))('%s', (door, ask) => {
  const [method = ''] = door.split(' ');

  test.each(kinds)(
    'the route of management answers %s as the table of doors says, and changes no other site',
    async (kind) => {
      const cell = httpTable.get(door)?.[kind] ?? '';
      const scene = unchanged ?? (await setScene());
      unchanged = undefined;
      const [path, body] = ask(scene.things);
      const { status, text } = await sites.ask(kind).rest(method, path, body ? { body } : {});
      const after = await states();
      const isRefused = /^\d/.test(cell);
      expect([cell, status]).toEqual([cell, isRefused ? Number(cell) : isDone(door) ? 200 : successes[method]]);
      const isChanged = after.map((state, index) => state !== scene.states[index]);
      if (!isChanged.includes(true)) unchanged = scene;
      const writes = method !== 'GET' && !isRefused;
      expect([cell, isChanged]).toEqual([cell, [writes && cell === 'yes', writes && cell === 'own']]);
      const idOf = listed[door];
      if (idOf === undefined) return;
      const told = [sites.here, sites.there].map((place) => text.includes(`"${idOf(place)}"`));
      expect([cell, told]).toEqual([cell, [cell === 'yes', cell === 'own']]);
    },
  );
});

describe('DELETE /session', () => {
  test.each(kinds)('DELETE /session answers %s as the table of doors says', async (kind) => {
    const cell = httpTable.get('DELETE /session')?.[kind] ?? '';
    const before = [await stateOf(sites, sites.here), await stateOf(sites, sites.there)];
    // Ada signs in again for each kind: her session of the suite goes on.
    const { session } = await buildCustomer(db, sites.here.site.id);
    const own = sites.credentials[kind]?.session === undefined ? {} : { headers: { 'Session-Token': session } };
    const { status } = await sites.ask(kind).rest('DELETE', '/session', own);
    expect([cell, status]).toEqual([cell, cell === 'yes' ? 204 : Number(cell)]);
    expect(await stateOf(sites, sites.there)).toBe(before[1]);
    const [row] = await db.session.findMany({
      where: { siteId: sites.here.site.id },
      orderBy: { id: 'desc' },
      take: 1,
    });
    expect([cell, row?.revokedAt !== null]).toEqual([cell, cell === 'yes']);
  });
});

test('each route of management has a test', () => {
  const own = routes
    .filter(({ path }) => !/\/(entries|changes)$|\/entries\//.test(path))
    .map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(asks), 'DELETE /session'].sort()).toEqual(own.sort());
});
