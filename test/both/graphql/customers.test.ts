// Customers: managed with master tokens (docs/contract.md §1, §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { validate as isUuid } from 'uuid';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

interface Customer {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly roles: string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

const whole = '{ id email name roles createdAt updatedAt }';

function create(caller: Caller, input: Record<string, unknown>) {
  return caller.gql<{ createCustomer: Customer }>(
    `mutation ($input: CustomerInput!) { createCustomer(input: $input) ${whole} }`,
    { input },
  );
}

function update(caller: Caller, id: string, input: Record<string, unknown>) {
  return caller.gql<{ updateCustomer: Customer }>(
    `mutation ($id: ID!, $input: CustomerPatch!) { updateCustomer(id: $id, input: $input) ${whole} }`,
    { id, input },
  );
}

function read(caller: Caller, id: string) {
  return caller.gql<{ customer: Customer }>(`query ($id: ID!) { customer(id: $id) ${whole} }`, { id });
}

interface Page {
  readonly nodes: Customer[];
  readonly edges: { readonly cursor: string; readonly node: Customer }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
}

/** Two customers behind a cursor. */
async function listPage(caller: Caller, after: string | null): Promise<Page> {
  const query = `query ($after: String) { customers(first: 2, after: $after) {
    nodes ${whole} edges { cursor node ${whole} } pageInfo { hasNextPage endCursor } totalCount } }`;
  return expectData(await caller.gql<{ customers: Page }>(query, { after })).customers;
}

async function buildMaster() {
  const site = await buildSite(app.database.prisma);
  return { site, master: as(app, { token: site.master }) };
}

describe('allowed with a master token', () => {
  test('create: an id is made, or taken over; what was created is there', async () => {
    const { master } = await buildMaster();
    const made = expectData(await create(master, {})).createCustomer;
    expect(isUuid(made.id)).toBe(true);
    expect(made).toMatchObject({ email: null, name: null, roles: [] });
    const input = { id: 'idp|ÄÖ 42', email: 'ada@example.com', name: 'Ada', roles: ['editor', 'a:b', 'role:x'] };
    const given = expectData(await create(master, input)).createCustomer;
    expect(given).toEqual({ ...input, createdAt: expect.stringMatching(/Z$/), updatedAt: given.createdAt });
    expect(expectData(await read(master, input.id)).customer).toEqual(given);
  });

  test('ids up to 255 characters, of which some look like others', async () => {
    const { master } = await buildMaster();
    const ids = [
      'x'.repeat(255),
      'Users',
      'user',
      '**',
      'role',
      'id',
      'ID:x',
      '__proto__',
      'constructor',
      'a',
      'A',
      ' a',
    ];
    for (const id of ids) expect(expectData(await create(master, { id })).createCustomer.id).toBe(id);
    for (const id of ids) expect(expectData(await read(master, id)).customer.id).toBe(id);
  });

  test('update: present data are set, null clears, absent ones stay', async () => {
    const { master } = await buildMaster();
    expectData(await create(master, { id: 'ada', email: 'ada@example.com', name: 'Ada', roles: ['a'] }));
    const changed = expectData(await update(master, 'ada', { name: null, roles: ['b', 'c'] })).updateCustomer;
    expect(changed).toMatchObject({ id: 'ada', email: 'ada@example.com', name: null, roles: ['b', 'c'] });
    const same = expectData(await update(master, 'ada', { roles: ['b', 'c'] })).updateCustomer;
    expect(same).toEqual(changed);
    expect(expectData(await read(master, 'ada')).customer).toEqual(changed);
  });

  test('new roles hold from the next request on', async () => {
    const db = app.database.prisma;
    const { site, master } = await buildMaster();
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'none' });
    await buildEntry(db, channel, { slug: 'one', acl: { 'role:editor': { read: true } } });
    const { id, session } = await buildCustomer(db, site.id);
    const ada = as(app, { token: site.public, session });
    for (const [roles, status] of [
      [['editor'], 200],
      [[], 404],
    ] as const) {
      expectData(await update(master, id, { roles }));
      expect((await ada.rest('GET', '/channels/articles/entries/one')).status).toBe(status);
    }
  });

  test('list, newest first, in pages', async () => {
    const { master } = await buildMaster();
    for (const id of ['a', 'b', 'c', 'd', 'e']) expectData(await create(master, { id }));
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { nodes, edges, pageInfo, totalCount } = await listPage(master, after);
      expect([edges.map(({ node }) => node), edges.at(-1)?.cursor, totalCount]).toEqual([nodes, pageInfo.endCursor, 5]);
      seen.push(...nodes.map(({ id }) => id));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
  });
});

describe('denied', () => {
  test('every operation is FORBIDDEN for public and user tokens, also about the customer who asks', async () => {
    const db = app.database.prisma;
    const { site, master } = await buildMaster();
    const { session } = await buildCustomer(db, site.id, { id: 'ada', roles: ['admin'] });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    for (const credentials of [
      { token: site.public },
      { token: site.public, session },
      { token: user, site: site.id, session },
    ]) {
      const caller = as(app, credentials);
      expectRefusal(await read(caller, 'ada'), 'FORBIDDEN');
      expectRefusal(await read(caller, 'nobody'), 'FORBIDDEN');
      expectRefusal(await caller.gql('{ customers { nodes { id } } }'), 'FORBIDDEN');
      expectRefusal(await create(caller, { id: 'bob' }), 'FORBIDDEN');
      expectRefusal(await create(caller, { id: 'users' }), 'FORBIDDEN');
      expectRefusal(await update(caller, 'ada', { roles: ['everything'] }), 'FORBIDDEN');
    }
    const list = await master.gql('{ customers { nodes { id roles } } }');
    expect(expectData(list)).toEqual({ customers: { nodes: [{ id: 'ada', roles: ['admin'] }] } });
  });

  test('another site’s customers are not there', async () => {
    const { master } = await buildMaster();
    const { master: other } = await buildMaster();
    expectData(await create(other, { id: 'ada', name: 'Theirs' }));
    expectRefusal(await read(master, 'ada'), 'NOT_FOUND');
    expectRefusal(await update(master, 'ada', { name: 'Mine' }), 'NOT_FOUND');
    expect(expectData(await master.gql('{ customers { totalCount nodes { id } } }'))).toEqual({
      customers: { totalCount: 0, nodes: [] },
    });
    expectData(await create(master, { id: 'ada' }));
    expect(expectData(await read(other, 'ada')).customer.name).toBe('Theirs');
  });
});

describe('invalid', () => {
  test.each(['', 'users', '*', 'id:ada', 'id:', 'role:editor', 'role:', 'x'.repeat(256)])('the id %j', async (id) => {
    expectRefusal(await create((await buildMaster()).master, { id }), 'BAD_USER_INPUT', ['id']);
  });

  test('an id that is taken is CONFLICT', async () => {
    const { master } = await buildMaster();
    expectData(await create(master, { id: 'ada', name: 'First' }));
    expectRefusal(await create(master, { id: 'ada', name: 'Second' }), 'CONFLICT', ['id']);
    expect(expectData(await read(master, 'ada')).customer.name).toBe('First');
  });

  test('of ten at once with one id, one is created', async () => {
    const { master } = await buildMaster();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(master, { id: 'ada' })));
    expect(answers.filter(({ errors }) => errors === undefined).length).toBe(1);
    for (const answer of answers.filter(({ errors }) => errors)) expectRefusal(answer, 'CONFLICT', ['id']);
  });

  test('data that don’t fit', async () => {
    const { master } = await buildMaster();
    expectData(await create(master, { id: 'ada' }));
    for (const [input, fields] of [
      [{ email: 'nobody' }, ['email']],
      [{ name: 'x'.repeat(256) }, ['name']],
      [{ roles: [''] }, ['roles']],
      [{ roles: ['x'.repeat(256)] }, ['roles']],
    ] as const) {
      expectRefusal(await create(master, input), 'BAD_USER_INPUT', fields);
      expectRefusal(await update(master, 'ada', input), 'BAD_USER_INPUT', fields);
    }
    expectRefusal(await update(master, 'nobody', {}), 'NOT_FOUND');
  });

  test('pages and cursors that don’t fit', async () => {
    const { site, master } = await buildMaster();
    await buildCustomer(app.database.prisma, site.id);
    for (const args of ['first: 0', 'first: 251', 'after: "x"', 'after: ""']) {
      expectRefusal(await master.gql(`{ customers(${args}) { totalCount } }`), 'BAD_USER_INPUT');
    }
  });
});
