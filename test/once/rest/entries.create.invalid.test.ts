// POST /channels/{channel_id}/entries: payloads that were understood and do not fit (docs/contract.md §1, §3 to §6).
import { describe, expect, test } from '@jest/globals';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/articles/entries';

describe('invalid', () => {
  const payloads: [name: string, body: unknown, fields: string[]][] = [
    ['_status: null', { _status: null }, ['_status']],
    ['a status that there is not', { _status: 'live' }, ['_status']],
    ['a status that is no string', { _status: 1 }, ['_status']],
    ['scheduled without a time', { _status: 'scheduled' }, ['_publish_at']],
    ['scheduled with a null time', { _status: 'scheduled', _publish_at: null }, ['_publish_at']],
    ['a time without a zone', { _publish_at: '2031-01-01T00:00:00' }, ['_publish_at']],
    ['a day that there is not', { _publish_at: '2031-02-30T00:00:00Z' }, ['_publish_at']],
    ['a time before the year 1', { _publish_at: '0000-12-31T00:00:00Z' }, ['_publish_at']],
    ['a time after the year 9999', { _publish_at: '9999-12-31T23:59:59-01:00' }, ['_publish_at']],
    ['a time that is no string', { _publish_at: 1924992000000 }, ['_publish_at']],
    ['an owner that is too long', { _owner: 'o'.repeat(256) }, ['_owner']],
    ['an owner that is no string', { _owner: 5 }, ['_owner']],
    ['a slug with a capital', { slug: 'One' }, ['slug']],
    ['a slug with "--"', { slug: 'a--b' }, ['slug']],
    ['a slug with "-" in front', { slug: '-a' }, ['slug']],
    ['a slug with "_"', { slug: 'a_b' }, ['slug']],
    ['a slug with a line end', { slug: 'a\n' }, ['slug']],
    ['a slug of 201 characters', { slug: 'a'.repeat(201) }, ['slug']],
    ['a slug shaped like a UUID', { slug: '0192f1a0-0000-7000-8000-000000000000' }, ['slug']],
    ['the slug "count"', { slug: 'count' }, ['slug']],
    ['the slug "bulk"', { slug: 'bulk' }, ['slug']],
    ['a slug that is no string', { slug: 7 }, ['slug']],
    ['a field that begins with "_"', { _mine: 1 }, ['_mine']],
    ['a field without a name', { '': 1 }, ['']],
    ['a field with a name of 256 characters', { ['n'.repeat(256)]: 1 }, ['n'.repeat(256)]],
  ];
  test.each(payloads)('a create with %s is 422, names the member, and stores nothing', async (_name, body, fields) => {
    const { master } = await buildScene(app, { publishable: true });
    expectProblem(await master.rest('POST', path, { body }), 'validation_failed', fields);
    expect((await master.rest('GET', `${path}/count`)).body).toEqual({ count: 0 });
  });

  test('a create with several invalid members is 422 with all of them', async () => {
    const { master } = await buildScene(app);
    const body = { slug: 'A', _status: 'x', _publish_at: 'y', _acl: [], _owner: 1, _z: 1, title: 'fine' };
    const answer = await master.rest<{ errors: { field: string }[] }>('POST', path, { body });
    expect(answer.status).toBe(422);
    const fields = answer.body.errors.map(({ field }) => field);
    expect(fields.sort()).toEqual(['_acl', '_owner', '_publish_at', '_status', '_z', 'slug']);
  });

  test('a create with the largest allowed values is stored', async () => {
    const { master } = await buildScene(app, { publishable: true });
    const bodies = [
      { slug: 'a'.repeat(200) },
      { slug: '0' },
      { slug: 'counts' },
      { _status: 'scheduled', _publish_at: '2031-01-01T00:00:00Z' },
      { _status: 'published', _publish_at: '2031-01-01T00:00:00+14:00' },
      { _publish_at: '0001-01-01T00:00:00Z' },
      { _publish_at: '9999-12-31T23:59:59.999Z' },
      { _publish_at: null, _owner: null, _acl: null },
      { _acl: { ada: {}, 'role:ada': {}, 'id:role:ada': {}, Users: {}, '*x': {} } },
    ];
    for (const body of bodies) {
      expectEntry(await master.rest('POST', path, { body }), 201);
    }
  });
});
