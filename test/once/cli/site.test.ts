// `entryway site`.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { workplace, type Workplace } from '../../support/workplace.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/) as unknown;
let place: Workplace;

beforeAll(async () => {
  place = await workplace();
});
afterAll(() => place.remove());

describe('done', () => {
  test('`entryway site list` without sites explains how to begin', async () => {
    const { code, stdout, stderr } = await place.run('site list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('entryway site create');
    expect(await place.json('site list')).toEqual([]);
  });

  test('`entryway site create` creates a site under its id, with or without a name', async () => {
    const named = await place.json('site create blog --name "My Blog"');
    expect(named).toEqual({ id: 'blog', name: 'My Blog', created_at: time });
    const { code, stdout, stderr } = await place.run('site create shop_2');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('entryway token create');

    expect(await place.json('site list')).toEqual([named, { id: 'shop_2', name: 'shop_2', created_at: time }]);
    const [rows = ''] = (await place.run('site list')).stdout.split('\n\n');
    const lines = rows.split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ['ID', 'NAME'],
      ['blog', 'My Blog'],
      ['shop_2', 'shop_2'],
    ]);
  });
});

describe('shown and deleted', () => {
  test('`entryway site show` and `delete`: a site with its contents, and the name of the database', async () => {
    await place.json('site create gone --name "To go"');
    await place.json('token create --kind public --site gone');
    const counts = { channels: 0, entries: 0, customers: 0, tokens: 1, members: 0 };
    expect(await place.json('site show gone')).toEqual({ id: 'gone', name: 'To go', created_at: time, ...counts });
    const shown = (await place.run('site show gone')).stdout;
    expect(shown).toMatch(
      /^The site gone \("To go"\), created .*, in the (embedded|PostgreSQL) database .*\.\n\nCHANNELS /,
    );

    expect(await place.refusal('site delete gone --confirm go')).toMatch(/give --confirm gone/);
    expect(await place.refusal('site delete gone')).toMatch(/'--confirm <id>' not specified/);
    // The site and its token were created, and the token was revoked by this.
    const deleted = { tokens: 1, 'audit records': 3 };
    expect(await place.json('site delete gone --confirm gone')).toEqual({ id: 'gone', deleted });
    expect(await place.refusal('site delete gone --confirm gone')).toMatch(/^In the .*: There is no site "gone"/);
    expect(await place.refusal('site show gone')).toMatch(/There is no site "gone"/);
  });
});

describe('refused', () => {
  test('`entryway site create` refuses a taken id', async () => {
    await place.json('site create taken');
    expect(await place.refusal('site create taken --name Other')).toMatch(/"taken" already: choose another/);
  });

  test.each(['Blog', 'my.blog', '-blog', '_blog', 'a b', 'x'.repeat(64), 'größe'])(
    '`entryway site create` refuses the id %j',
    async (id) => {
      // Behind --, since one begins with a dash.
      const { code, stdout, stderr } = await place.run(`site create -- "${id}"`);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^entryway: ".*" can't be a site's id: .*lower-case letters.*\n$/);
    },
  );

  test.each(['', ' ', 'x'.repeat(256), 'two\nlines'])('`entryway site create` refuses the name %j', async (name) => {
    expect(await place.refusal(`site create fine --name "${name}"`)).toMatch(/A name must have 1 to 255 characters/);
  });
});
