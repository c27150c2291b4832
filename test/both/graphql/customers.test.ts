// Customers: managed with master tokens (docs/contract.md §1, §7).
import { describe, expect, test } from '@jest/globals';
import { validate as isUuid } from 'uuid';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

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
  test('createCustomer makes an id or takes the sent one, and stores the customer', async () => {
    const { master } = await buildMaster();
    for (const none of [{}, { id: null, email: null, name: null, roles: null }]) {
      const made = expectData(await create(master, none)).createCustomer;
      expect(isUuid(made.id)).toBe(true);
      expect(made).toMatchObject({ email: null, name: null, roles: [] });
    }
    const input = { id: 'idp|ÄÖ 42', email: 'ada@example.com', name: 'Ada', roles: ['editor', 'a:b', 'role:x'] };
    const given = expectData(await create(master, input)).createCustomer;
    expect(given).toEqual({ ...input, createdAt: expect.stringMatching(/Z$/), updatedAt: given.createdAt });
    expect(expectData(await read(master, input.id)).customer).toEqual(given);
  });

  test('updateCustomer sets sent members, clears null ones and leaves absent ones', async () => {
    const { master } = await buildMaster();
    expectData(await create(master, { id: 'ada', email: 'ada@example.com', name: 'Ada', roles: ['a'] }));
    const changed = expectData(await update(master, 'ada', { name: null, roles: ['b', 'c', 'b'] })).updateCustomer;
    expect(changed).toMatchObject({ id: 'ada', email: 'ada@example.com', name: null, roles: ['b', 'c'] });
    const same = expectData(await update(master, 'ada', { roles: ['b', 'c'] })).updateCustomer;
    expect(same).toEqual(changed);
    expect(expectData(await read(master, 'ada')).customer).toEqual(changed);
    const cleared = expectData(await update(master, 'ada', { email: null, name: '', roles: null })).updateCustomer;
    expect(cleared).toMatchObject({ email: null, name: '', roles: [] });
  });

  test('a stored customer whose id would be refused for new ones signs in, is found, updated and listed, and reads its entries', async () => {
    const { site, master } = await buildMaster();
    const id = '\u{1f468}\u200d\u{1f469} a\u00adda ';
    const { session } = await buildCustomer(app.database.prisma, site.id, { id, roles: ['x\u200by'] });
    const notes = await buildChannel(app.database.prisma, site.id, { id: 'notes', readScope: 'private' });
    await buildEntry(app.database.prisma, notes, { owner: id, slug: 'own' });
    expect(expectData(await read(master, id)).customer).toMatchObject({ id, roles: ['x\u200by'] });
    expect(expectData(await update(master, id, { name: 'Ada' })).updateCustomer).toMatchObject({ id, name: 'Ada' });
    expect((await listPage(master, null)).nodes.map((each) => each.id)).toEqual([id]);
    const signIn = await master.gql<{ createSession: { token: string } }>(
      'mutation ($id: ID!) { createSession(customer: $id) { token } }',
      { id },
    );
    expect(expectData(signIn).createSession.token).toMatch(/./);
    const ada = as(app, { token: site.public, session });
    expect((await ada.rest('GET', '/channels/notes/entries/own')).status).toBe(200);
    expect((await master.rest('PATCH', `/customers/${encodeURIComponent(id)}`, { body: { name: 'A' } })).status).toBe(
      200,
    );
  });

  test('customers are listed newest first, in pages', async () => {
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

describe('invalid', () => {
  test('invalid data of a customer are BAD_USER_INPUT', async () => {
    const { master } = await buildMaster();
    expectData(await create(master, { id: 'ada' }));
    // Every value of each: test/pure/unit/inputs.management.test.ts.
    expectRefusal(await create(master, { id: 'role:editor' }), 'BAD_USER_INPUT', ['id']);
    const odd = await create(master, { id: 'a\u202e' });
    expect(JSON.stringify(odd.errors)).toContain('must not hold U+202E, a character that is not visible');
    const [input, wrong] = [
      { email: 'nobody', name: 'x'.repeat(256), roles: ['', 'a', ''] },
      ['email', 'name', 'roles', 'roles'],
    ];
    expectRefusal(await create(master, { id: '*', ...input }), 'BAD_USER_INPUT', ['id', ...wrong]);
    expectRefusal(await update(master, 'ada', input), 'BAD_USER_INPUT', wrong);
    expectRefusal(await update(master, 'nobody', {}), 'NOT_FOUND');
  });

  test('invalid pages and cursors of customers are BAD_USER_INPUT', async () => {
    const { site, master } = await buildMaster();
    await buildCustomer(app.database.prisma, site.id);
    for (const args of ['first: 0', 'first: 251', 'after: "x"', 'after: ""']) {
      expectRefusal(await master.gql(`{ customers(${args}) { totalCount } }`), 'BAD_USER_INPUT');
    }
  });
});
