// What a caller may do, as it is told (docs/contract.md §10.4): the same as what its requests are then answered.
import { expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildUser } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;

const site = await buildSite(db);
const ada = await buildCustomer(db, site.id, { id: 'ada', roles: ['editors'] });
const user = await buildUser(db, { memberOf: [site.id] });
const master = as(app, { token: site.master });

const callers: Readonly<Record<string, Caller>> = {
  'a public token': as(app, { token: site.public }),
  'a public token with a customer': as(app, { token: site.public, session: ada.session }),
  'a user token': as(app, { token: user.token, site: site.id }),
  'a user token with a customer': as(app, { token: user.token, site: site.id, session: ada.session }),
  'a master token': master,
};

const scopes = ['public', 'shared', 'private', 'none'] as const;
for (const scope of scopes) {
  const writes = { createScope: scope, updateScope: scope, deleteScope: scope };
  await buildChannel(db, site.id, { id: scope, readScope: 'public', ...writes });
}
await buildChannel(db, site.id, { id: 'unknown', readScope: 'none', createScope: 'none' });

const lists = [
  {},
  { '*': { update: false } },
  { users: { delete: false } },
  { 'role:editors': { update: true, delete: true } },
  { ada: { update: false } },
];

interface Rights {
  readonly create: boolean;
  readonly access: boolean;
  readonly update: boolean | null;
  readonly delete: boolean | null;
  readonly publish: boolean | null;
}

async function makeEntry(channel: string, body: object): Promise<string> {
  const made = await master.rest<{ id: string }>('POST', `/channels/${channel}/entries`, { body });
  expect(made.status).toBe(201);
  return made.body.id;
}

/** The rights as both doors tell them, which must agree. */
async function told(caller: Caller, channel: string, id?: string): Promise<Rights> {
  const { status, body } = await caller.rest<Rights>(
    'GET',
    `/channels/${channel}/rights${id === undefined ? '' : `?entry=${id}`}`,
  );
  expect(status).toBe(200);
  const query =
    'query ($channel: ID!, $id: ID) { rights(channel: $channel, id: $id) { create access update delete publish } }';
  expect(expectData(await caller.gql(query, { channel, id }))).toEqual({ rights: body });
  return body;
}

/** Whether a request is allowed. A 404 would be another fault of the test. */
async function isAllowed(caller: Caller, method: string, path: string, body?: object): Promise<boolean> {
  const { status } = await caller.rest(method, path, { body });
  expect([200, 201, 204, 403]).toContain(status);
  return status !== 403;
}

test.each(Object.keys(callers).flatMap((name) => scopes.map((scope) => [name, scope] as const)))(
  'the rights of %s in a channel whose writes are %s equal the answers to its requests',
  async (name, channel) => {
    const caller = callers[name] ?? master;
    const path = `/channels/${channel}/entries`;
    expect(await told(caller, channel)).toEqual({
      create: await isAllowed(caller, 'POST', path, { title: 'x' }),
      access: caller === master,
      ...{ update: null, delete: null, publish: null },
    });
    for (const _acl of lists) {
      for (const _owner of ['ada', 'eve']) {
        const id = await makeEntry(channel, { title: 'x', _acl, _owner });
        const rights = await told(caller, channel, id);
        const update = await isAllowed(caller, 'PATCH', `${path}/${id}`, {});
        const remove = await isAllowed(caller, 'DELETE', `${path}/${id}`);
        expect([_acl, _owner, rights.update, rights.delete]).toEqual([_acl, _owner, update, remove]);
        expect(rights.publish).toBe(false);
      }
    }
  },
);

test('a master token with use_acl has the rights of an anonymous visitor', async () => {
  const id = await makeEntry('shared', { title: 'x' });
  const { body } = await master.rest('GET', `/channels/shared/rights?entry=${id}&use_acl=true`);
  expect(body).toEqual({ create: false, access: true, update: false, delete: false, publish: false });
});

test('the rights in a hidden channel or to a hidden entry are those in a missing one', async () => {
  const hidden = await makeEntry('public', { title: 'x', _acl: { '*': { read: false } } });
  const inUnknown = await makeEntry('unknown', { title: 'x' });
  const open = callers['a public token'] ?? master;
  const ask = async (path: string): Promise<object> => {
    const { status, body } = await open.rest('GET', path);
    return { status, detail: body['detail'] };
  };
  const none = '01920000-0000-7000-8000-000000000000';
  const noChannel = await ask('/channels/nowhere/rights');
  expect(noChannel).toEqual({ status: 404, detail: 'There is no such channel.' });
  expect(await ask('/channels/unknown/rights')).toEqual(noChannel);
  expect(await ask(`/channels/unknown/rights?entry=${inUnknown}`)).toEqual(noChannel);
  const noEntry = await ask(`/channels/public/rights?entry=${none}`);
  expect(noEntry).toMatchObject({ status: 404 });
  expect(await ask(`/channels/public/rights?entry=${hidden}`)).toEqual(noEntry);
  const query = `{ one: rights(channel: "unknown") { create } two: rights(channel: "public", id: "${hidden}") { update } }`;
  expect(expectData(await open.gql(query))).toEqual({ one: null, two: null });
});
