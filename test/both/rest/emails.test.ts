// Email addresses over both doors: entries, customers and filters take the same ones (docs/contract.md §6.3, §12.3).
import { describe, expect, test } from '@jest/globals';
import { parseImportedMembers, parseImportedRows } from '../../../src/features/moving/import/input.ts';
import { buildCustomer } from '../../support/build.ts';
import { expectData, expectEntry, expectProblem, expectRefusal, type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/people/entries';
const fields = [{ name: 'mail', type: 'email', unique: true }] as const;
const build = () => buildScene(app, { id: 'people', fields: [...fields] });

const createEntry = `mutation ($mail: JSON) { createEntry(channel: "people", input: { fields: { mail: $mail } }) { fields } }`;
const createCustomer = 'mutation ($input: CustomerInput!) { createCustomer(input: $input) { email } }';
const updateCustomer =
  'mutation ($id: ID!, $input: CustomerPatch!) { updateCustomer(id: $id, input: $input) { email } }';

describe('an address', () => {
  test.each(['zoë@köln.example', '用户@例子.广告', 'root@localhost'])(
    'the address %j is accepted for entries and customers over both doors, and found by filters',
    async (mail) => {
      const { master } = await build();
      const entry = expectEntry(await master.rest('POST', path, { body: { mail } }), 201);
      expect(entry['mail']).toBe(mail);
      const twice = await master.gql(createEntry, { mail });
      expectRefusal(twice, 'CONFLICT', ['mail']);
      const [before, after] = [mail.slice(0, 2), mail.slice(2)];
      const text = encodeURIComponent(mail);
      const filters = [`mail=${text}`, `mail.in=x@y,${text}`, `mail.starts_with=${encodeURIComponent(before)}`];
      for (const filter of [...filters, `mail.contains=${encodeURIComponent(after)}`, `mail.gte=${text}`]) {
        const list = await master.rest<RestEntry[]>('GET', `${path}?${filter}`);
        expect([filter, list.body.map(({ id }) => id)]).toEqual([filter, [entry.id]]);
      }
      const where = `query ($mail: JSON) {
        entries(channel: "people", where: { field: "mail", op: EQ, value: $mail }) { totalCount } }`;
      expect(expectData(await master.gql(where, { mail }))).toEqual({ entries: { totalCount: 1 } });
      expect((await master.rest('POST', '/customers', { body: { email: mail } })).body['email']).toBe(mail);
      expect(expectData(await master.gql(createCustomer, { input: { email: mail } }))).toEqual({
        createCustomer: { email: mail },
      });
      expect((await master.rest<unknown[]>('GET', `/customers?email=${text}`)).body).toHaveLength(2);
    },
  );

  test.each(['a..b@c.example', 'a\u200b@b.example', 'a@10.0.0.1', 'a@b..example', 'a@b:80'])(
    'the address %j is refused for entries and customers over both doors',
    async (mail) => {
      const { master } = await build();
      expectProblem(await master.rest('POST', path, { body: { mail } }), 'validation_failed', ['mail']);
      expectRefusal(await master.gql(createEntry, { mail }), 'BAD_USER_INPUT', ['mail']);
      const customer = await master.rest('POST', '/customers', { body: { email: mail } });
      expectProblem(customer, 'validation_failed', ['email']);
      expectRefusal(await master.gql(createCustomer, { input: { email: mail } }), 'BAD_USER_INPUT', ['email']);
    },
  );
});

describe('a customer whose address was stored under an earlier rule', () => {
  const email = '"a..b"@[::1]';
  const buildOld = async () => {
    const scene = await build();
    const { id } = await buildCustomer(scene.db, scene.site.id, { id: 'old' });
    await scene.db.customer.updateMany({ where: { siteId: scene.site.id, id }, data: { email } });
    return scene;
  };

  test('a customer with an address of an earlier rule is read, found, changed and sent back, and accepts no other such address', async () => {
    const { master } = await buildOld();
    const read = await master.rest('GET', '/customers/old');
    expect(read.body['email']).toBe(email);
    const found = await master.rest<unknown[]>('GET', `/customers?email=${encodeURIComponent(email)}`);
    expect(found.body).toEqual([read.body]);
    const sentBack = await master.rest('PATCH', '/customers/old', { body: { ...read.body, name: 'Renamed' } });
    expect([sentBack.status, sentBack.body]).toMatchObject([200, { email, name: 'Renamed' }]);
    const input = { email, name: 'Again' };
    expect(expectData(await master.gql(updateCustomer, { id: 'old', input }))).toEqual({ updateCustomer: { email } });
    const other = await master.rest('PATCH', '/customers/old', { body: { email: `x${email}` } });
    expectProblem(other, 'validation_failed', ['email']);
  });

  test('a customer and a member with an address of an earlier rule are imported with the site', () => {
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    const row = { id: 'old', email, name: null, roles: [], ...times };
    expect(parseImportedRows('customers', [row]).rows).toMatchObject([{ email }]);
    const member = { email, name: null, created_at: times.created_at };
    expect(parseImportedMembers([member])).toMatchObject([{ email }]);
  });
});

test('the OpenAPI document has the formats of addresses and URLs with characters beyond ASCII', async () => {
  const { master } = await buildScene(app, {
    id: 'people',
    fields: [...fields, { name: 'page', type: 'url' }, { name: 'file', type: 'file' }],
  });
  const { body } = await master.rest<{ components: { schemas: Record<string, object> } }>('GET', '/openapi.json');
  const { schemas } = body.components;
  for (const name of ['people.EntryMembers', 'people.EntryChange']) {
    expect(JSON.stringify(schemas[name])).toMatch(
      /"mail":\{[^}]*"idn-email".*"page":\{[^}]*"iri".*"file":.*"url":\{[^}]*"iri"/,
    );
  }
  for (const name of ['NewCustomer', 'CustomerChange']) {
    expect(JSON.stringify(schemas[name])).toMatch(/"email":\{[^}]*"idn-email"/);
    expect(JSON.stringify(schemas[name])).toMatch(/"email":\{[^}]*320/);
  }
});
