// `entryway user` and `entryway member`.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSite } from '../../support/build.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';

let place: Workplace;

beforeAll(async () => {
  place = await workplace();
  await place.inside(({ prisma }) => buildSite(prisma, { id: 'blog' }));
});
afterAll(() => place.remove());

describe('done', () => {
  test('`entryway user create` stores the address in any letter case', async () => {
    const user = await place.json<{ id: string }>('user create --email Ada@Example.COM --name "Ada L."');
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada L.' });
    expect(user.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect((await place.run('user create --email bob@example.com')).stdout).toContain('entryway member add');
    expect(await place.json('user list')).toMatchObject([
      { id: user.id, email: 'ada@example.com', name: 'Ada L.', sites: [] },
      { email: 'bob@example.com', name: null, sites: [] },
    ]);
    expect((await place.run('user list')).stdout).toMatch(
      /^EMAIL .*\nada@example\.com +Ada L\. .*\nbob@example\.com .*\n\nIn the /,
    );
  });

  test('`entryway member` adds and removes a user; a second time changes nothing', async () => {
    await place.json('user create --email eve@example.com');
    const membership = { site: 'blog', user: 'eve@example.com' };
    const sites = async (): Promise<unknown> =>
      (await place.json<{ email: string; sites: string[] }[]>('user list')).find(({ email }) => email.startsWith('eve'))
        ?.sites;

    const add = 'member add --site blog --user EVE@example.com';
    expect(await place.json(add)).toEqual({ ...membership, member: true, changed: true });
    expect(await place.json(add)).toEqual({ ...membership, member: true, changed: false });
    expect(await sites()).toEqual(['blog']);

    const remove = 'member remove --site blog --user eve@example.com';
    expect((await place.run(remove)).stdout).toMatch(
      /^eve@example.com is not a member of blog any more, in the .*\.\n$/,
    );
    expect(await place.json(remove)).toEqual({ ...membership, member: false, changed: false });
    expect(await sites()).toEqual([]);
  });
});

describe('listed and deleted', () => {
  test('`entryway user list` and `delete` include the memberships', async () => {
    await place.json('user create --email zoe@example.com --name Zoe');
    await place.json('member add --site blog --user zoe@example.com');
    const named = { site: 'blog', user: 'zoe@example.com', name: 'Zoe', roles: [] };
    const member = { ...named, created_at: expect.stringMatching(/Z$/) };
    expect(await place.json('member list --user Zoe@example.com')).toEqual([member]);
    expect((await place.run('member list --site blog')).stdout).toMatch(
      /^SITE .*\nblog +zoe@example\.com +Zoe .*\n\nIn the /,
    );
    expect(await place.refusal('member list')).toMatch(/give --site or --user, and not both/);
    expect(await place.refusal('member list --site blog --user zoe@example.com')).toMatch(/not both/);

    const remove = 'user delete --email zoe@example.com --confirm';
    expect(await place.refusal(`${remove} eve@example.com`)).toMatch(/give --confirm zoe@example\.com/);
    expect(await place.json(`${remove} ZOE@example.com`)).toMatchObject({
      email: 'zoe@example.com',
      deleted: { tokens: 0, memberships: 1 },
    });
    expect(await place.json('member list --site blog')).toEqual([]);
    expect(await place.refusal(`${remove} zoe@example.com`)).toMatch(/There is no user/);
  });
});

describe('refused', () => {
  test('`entryway user create` refuses a taken address, in any letter case', async () => {
    await place.json('user create --email taken@example.com');
    expect(await place.refusal('user create --email Taken@example.com')).toMatch(/"taken@example\.com" already/);
  });

  test.each(['ada', 'ada@', 'a b@example.com', `${'x'.repeat(320)}@example.com`])(
    '`entryway user create` refuses the address %j',
    async (email) => {
      expect(await place.refusal(`user create --email "${email}"`)).toMatch(
        /is not an email address: give one such as/,
      );
    },
  );

  test('`entryway member` refuses an unknown site or user', async () => {
    const noSite = await place.refusal('member add --site nowhere --user nobody@example.com');
    expect(noSite).toMatch(/no site "nowhere".*entryway site create nowhere/);
    const noUser = await place.refusal('member remove --site blog --user nobody@example.com');
    expect(noUser).toMatch(/no user "nobody@example\.com".*entryway user create/);
  });

  test('`entryway user` and `member` refuse missing options', async () => {
    expect(await place.refusal('user create')).toMatch(/'--email <address>' not specified.*user create --help/);
    expect(await place.refusal('member add --site blog')).toMatch(/'--user <email>' not specified/);
  });
});
