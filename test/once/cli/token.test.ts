// `entryway token`.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { noHashLength } from '../../../src/rules/tokenHash.ts';
import { as } from '../../support/as.ts';
import { serve } from '../../support/process.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';

interface Created {
  readonly id: string;
  readonly token: string;
}

let place: Workplace;

beforeAll(async () => {
  place = await workplace();
  const createdAt = new Date();
  const membership = { siteId: 'blog', createdAt };
  await place.inside(async ({ prisma }) => {
    await prisma.site.createMany({ data: ['blog', 'shop'].map((id) => ({ id, name: id, createdAt })) });
    const ada = { id: uuidv7(), email: 'ada@example.com', createdAt };
    await prisma.user.create({ data: { ...ada, memberships: { create: membership } } });
  });
});
afterAll(() => place.remove());

/** What `list` shows of a token: all but the secret. */
function listed({ token: _, ...shown }: Created): object {
  return { ...shown, revoked_at: null, last_used_at: null, has_secret: true };
}

describe('done', () => {
  test('`entryway token create` makes a token for a site or a user, shows it once, and lists it without its secret', async () => {
    const master = await place.json<Created>('token create --kind master --site shop --name deploy --expires 90d');
    expect(master).toMatchObject({ kind: 'master', name: 'deploy', site: 'shop' });
    expect(master.token).toMatch(/^ew_master_[0-9A-Za-z]{49}$/);
    const { created_at: from, expires_at: to } = master as Created & Record<'created_at' | 'expires_at', string>;
    expect(Date.parse(to) - Date.parse(from)).toBe(90 * 86_400_000);
    const user = await place.json<Created>('token create --kind user --user ADA@example.com');
    expect(user).toMatchObject({ kind: 'user', name: null, user: 'ada@example.com', expires_at: null });
    expect(user).not.toHaveProperty('site');

    expect(await place.json('token list --site shop')).toEqual([listed(master)]);
    expect(await place.json('token list --user ada@example.com')).toEqual([listed(user)]);
    expect(await place.json('token list --user ada@example.com --site shop')).toEqual([]);
    const { stdout } = await place.run('token list');
    expect(stdout).toContain(master.id);
    expect(stdout).toContain(user.id);
    expect(stdout).not.toContain('ew_');
  });

  test('an imported token is listed as without secret; rotating it makes a valid one', async () => {
    const id = uuidv7();
    const imported = { id, kind: 'public', name: 'moved', siteId: 'shop', createdAt: new Date() } as const;
    await place.inside(({ prisma }) =>
      prisma.token.create({ data: { ...imported, hash: new Uint8Array(noHashLength) } }),
    );
    expect((await place.run('token list --site shop')).stdout).toMatch(
      new RegExp(`${id} .* moved .* without secret: rotate it\\n`),
    );
    const { code, stdout } = await place.run(`token rotate ${id}`);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`It replaces ${id}, which had no secret.`)]);
    const tokens = await place.json<(Created & { name: string; has_secret: boolean })[]>('token list --site shop');
    const moved = tokens.filter(({ name }) => name === 'moved');
    expect(moved.map(({ id: of, has_secret: hasSecret }) => [of === id, hasSecret])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('`entryway token create` without --json prints the token on the first line', async () => {
    const { code, stdout, stderr } = await place.run('token create --kind public --site shop');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^ew_public_[0-9A-Za-z]{49}\n\nThe public token .* of shop, in the .*; expires: never\.\nIt is not shown/,
    );
  });

  test('the service accepts a created token, and refuses a revoked one', async () => {
    const [master, revoked, user] = [
      await place.json<Created>('token create --kind master --site blog'),
      await place.json<Created>('token create --kind public --site blog'),
      await place.json<Created>('token create --kind user --user ada@example.com'),
    ];
    const gone = await place.json<{ revoked_at: string }>(`token revoke ${revoked.id}`);
    expect(gone).toMatchObject({ ...listed(revoked), revoked_at: expect.stringMatching(/Z$/) });
    // A second time changes nothing.
    expect(await place.json(`token revoke ${revoked.id}`)).toEqual(gone);
    expect((await place.run('token list --site blog')).stdout).toMatch(new RegExp(`${revoked.id} .* revoked\\n`));

    const service = await serve(place.environment);
    const status = async (credentials: { token: string; site?: string }): Promise<number> =>
      (await as(service, credentials).gql('{ channels { id } }')).status;
    try {
      const site = 'blog';
      expect([await status(master), await status({ ...user, site }), await status(revoked)]).toEqual([200, 200, 401]);
    } finally {
      await service.stop();
    }
  });
});

describe('rotated', () => {
  test('`entryway token rotate` makes a successor that is shown once', async () => {
    const old = await place.json<Created>('token create --kind public --site shop --name web');
    const { replaces, ...created } = await place.json<Created & { replaces: { id: string; expires_at: string } }>(
      `token rotate ${old.id} --overlap 2h --expires 90d`,
    );
    expect(created).toMatchObject({ kind: 'public', site: 'shop', name: 'web', revoked_at: null });
    expect(created.token).toMatch(/^ew_public_[0-9A-Za-z]{49}$/);
    const { created_at: from, expires_at: to } = created as unknown as Record<'created_at' | 'expires_at', string>;
    expect(Date.parse(to) - Date.parse(from)).toBe(90 * 86_400_000);
    expect(replaces).toMatchObject({ id: old.id, revoked_at: null });
    expect(Date.parse(replaces.expires_at) - Date.parse(from)).toBe(2 * 3_600_000);

    const { code, stdout } = await place.run(`token rotate ${created.id} --overlap 0 --expires never`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ew_public_\w{49}\n\nThe public token .* of shop, in the .*; expires: never\.\nIt replaces .*, which is revoked\.\nIt is not/,
    );
    expect(await place.refusal(`token rotate ${created.id}`)).toMatch(/is revoked, so that it cannot be rotated/);
  });

  test.each(['soon', '-1h', '1', '366d', '1.5h'])(
    '`entryway token rotate` refuses an overlap of %s',
    async (overlap) => {
      expect(await place.refusal(`token rotate x --overlap=${overlap}`)).toMatch(/give hours or days such as 24h/);
    },
  );
});

describe('refused', () => {
  test.each([
    ['--kind master', /belongs to a site: give --site/],
    ['--kind public --user ada@example.com', /belongs to a site/],
    ['--kind master --site blog --user ada@example.com', /not --user/],
    ['--kind user', /belongs to a user: give --user/],
    ['--kind user --site blog', /belongs to a user/],
    ['--kind session --site blog', /Allowed choices are master, public, user/],
    ['--site blog', /'--kind <kind>' not specified/],
    ['--kind master --site Blog!', /can't be a site's id/],
    ['--kind master --site nowhere', /no site "nowhere"/],
    ['--kind user --user nobody@example.com', /no user "nobody@example\.com"/],
    ['--kind master --site blog --name ""', /A name must have 1 to 255/],
    ['--kind master --site blog --expires soon', /give days or hours such as 90d or 12h/],
  ])('`entryway token` refuses create %s', async (options, message) => {
    expect(await place.refusal(`token create ${options}`)).toMatch(message);
  });

  test('`entryway token list` refuses an unknown site or user', async () => {
    expect(await place.refusal('token list --site nowhere')).toMatch(/no site "nowhere"/);
    expect(await place.refusal('token list --user nobody@example.com')).toMatch(/no user/);
  });

  test('`entryway token revoke` refuses a text that is no id, without repeating a possible secret', async () => {
    const unknown = '01890000-0000-7000-8000-000000000000';
    expect(await place.refusal(`token revoke ${unknown}`)).toMatch(
      new RegExp(`no token with the id ${unknown}.*token list`),
    );
    const { token } = await place.json<Created>('token create --kind public --site blog');
    const message = await place.refusal(`token revoke ${token}`);
    expect(message).toMatch(/not the id of a token.*token list/);
    expect(await place.refusal(`token list ${token}`)).not.toContain(token);
    expect(await place.refusal(`token create --kind ${token}`)).not.toContain(token);
    expect(message).not.toContain(token);
  });
});
