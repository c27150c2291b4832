// Access lists made to be misread (docs/contract.md §3). What those that fit say is in test/once/security, V9 and V19.
import { describe, expect, test } from '@jest/globals';
import type { EntryAcl } from '../../../src/rules/access.ts';
import { as } from '../../support/as.ts';
import { buildCustomer } from '../../support/build.ts';
import { expectData, expectEntry, expectRefusal } from '../../support/expect.ts';
import { expectRestRefused } from '../../support/refused.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const list = '/channels/articles/entries';
const create = 'mutation ($acl: [AclRuleInput!]) { createEntry(channel: "articles", input: { acl: $acl }) { id } }';
const update =
  'mutation ($acl: [AclRuleInput!]) { updateEntry(channel: "articles", id: "one", input: { acl: $acl }) { id } }';

/** Keys k0, k1, …, each with a rule. */
function keys(count: number, rule: unknown = { read: true }): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, rule]));
}

function longKeys(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(keys(100)).map(([key, rule]) => [key.repeat(3000), rule]));
}

/** A site with the entry `one`, which anybody reads by its access list alone. */
const buildListed = () => buildOne(app, { acl: { '*': { read: true } } }, { readScope: 'none' });

describe('invalid access lists: 422 on _acl, and nothing is stored', () => {
  /** The list as JSON; whether GraphQL's types let it be said at all. */
  const rows: [what: string, acl: string, canBeSaid: boolean][] = [
    ['an array', '[]', false],
    ['a string', '"ada"', false],
    ['a boolean', 'true', false],
    ['a number', '1', false],
    ['a rule that is true', '{"ada": true}', false],
    ['a rule that is null', '{"ada": null}', false],
    ['a rule that is an array', '{"ada": []}', false],
    ['a rule that is a string', '{"ada": "read"}', false],
    ['an empty key', '{"": {"read": true}}', true],
    ['"id:" alone', '{"id:": {"read": true}}', true],
    ['"role:" alone', '{"role:": {"read": true}}', true],
    ['a key of 261 characters', JSON.stringify({ ['k'.repeat(261)]: { read: true } }), true],
    ['one actor in both forms', '{"ada": {"read": true}, "id:ada": {"read": false}}', true],
    ['101 keys', JSON.stringify(keys(101)), true],
    ['10,000 keys', JSON.stringify(keys(10_000)), true],
    ['10,000 keys that are wrong, too', JSON.stringify(keys(10_000, 'x')), false],
    ['a key of half a megabyte among others', JSON.stringify({ ...keys(1000), ['k'.repeat(500_000)]: {} }), true],
    ['100 keys of 9,000 characters', JSON.stringify(longKeys()), true],
    ['an unknown action', '{"ada": {"publish": true}}', false],
    ['a key that looks like another one', '{"role:edi\\u202etor": {"read": true}}', false],
    ['an action in capitals', '{"ada": {"READ": true}}', false],
    ['noRead', '{"ada": {"noRead": true}}', false],
    ['__proto__ for an action', '{"ada": {"__proto__": true}}', false],
    ['constructor for an action', '{"ada": {"constructor": true}}', false],
    ['an empty action', '{"ada": {"": true}}', false],
    ['"true"', '{"ada": {"read": "true"}}', false],
    ['an object with a length', '{"length": 1, "0": {"read": true}}', false],
    ['1', '{"ada": {"read": 1}}', false],
    ['null', '{"ada": {"read": null}}', false],
    ['[true]', '{"ada": {"read": [true]}}', false],
    ['{}', '{"ada": {"read": {}}}', false],
    ['a good rule beside a bad one', '{"bob": {"read": true}, "ada": {"read": 0}}', false],
  ];
  test.each(rows)('an invalid access list is 422 on _acl, and stores nothing: %s', async (_what, acl, canBeSaid) => {
    const { visitor, master } = await buildListed();
    for (const [method, path] of [
      ['POST', list],
      ['PUT', `${list}/one`],
    ] as const) {
      const answer = await master.rest(method, path, { body: `{"_acl": ${acl}}` });
      expectRestRefused(answer, 422, 'validation_failed');
      const { errors } = answer.body as { errors?: { field: string }[] };
      expect([...new Set(errors?.map(({ field }) => field))]).toEqual(['_acl']);
      expect(answer.text.length).toBeLessThan(100_000);
    }
    if (canBeSaid) {
      const rules = Object.entries(JSON.parse(acl) as EntryAcl).map(([actor, rule]) => ({ actor, ...rule }));
      for (const document of [create, update]) {
        const { status, errors } = await master.gql(document, { acl: rules });
        expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([200, ['BAD_USER_INPUT']]);
        expect(errors?.[0]?.extensions.errors?.[0]?.field).toBe('_acl');
      }
    }
    expect((await visitor.rest('GET', `${list}/count`)).body).toEqual({ count: 1 });
  });

  test('GraphQL accepts an actor once in an access list', async () => {
    const { master } = await buildListed();
    const twice = [
      { actor: 'ada', read: true },
      { actor: 'ada', read: false },
    ];
    expectRefusal(await master.gql(create, { acl: twice }), 'BAD_USER_INPUT', ['_acl']);
  });
});

test('a customer with 500 roles is answered at both doors', async () => {
  const { site, master } = await buildListed();
  const roles = Array.from({ length: 500 }, (_, index) => `${'r'.repeat(250)}${index}`);
  const { session } = await buildCustomer(app.database.prisma, site.id, { id: 'ada', roles });
  const ada = as(app, { token: site.public, session });
  const expectSeen = async (count: number): Promise<void> => {
    expect((await ada.rest('GET', `${list}/count`)).body).toEqual({ count });
    const answer = await ada.gql('{ entries(channel: "articles") { totalCount } }');
    expect(expectData(answer)['entries']).toEqual({ totalCount: count });
    expect((await ada.rest('GET', `${list}/one`)).status).toBe(count === 0 ? 404 : 200);
  };
  for (const [role, count] of [
    [roles[499], 1],
    [`${roles[499] ?? ''}x`, 0],
  ] as const) {
    const body = { _acl: { [`role:${role ?? ''}`]: { read: true } } };
    expectEntry(await master.rest('PUT', `${list}/one`, { body }));
    await expectSeen(count);
  }
});
