// Ids and times that new entries keep from where they were before (docs/contract.md §5.7): a bulk's create with an `id`.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildUser } from '../../support/build.ts';
import type { RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

interface Result {
  readonly status: number;
  readonly entry?: RestEntry;
  readonly error?: { code: string; errors?: { field: string; code: string }[] };
}

const path = '/channels/articles/entries';
const app = await suiteApp({ RATE_LIMIT: 'off' });
let scene: Scene;
beforeEach(async () => {
  scene = await buildScene(app);
});

const uuid = (last: number): string => `0190a1b2-0000-7000-8000-${String(last).padStart(12, '0')}`;
const keep = (id: string, data: Record<string, unknown> = {}) => ({ op: 'create', id, data });

async function send(
  operations: unknown[],
  caller: Caller = scene.master,
  more: object = {},
  address = `${path}/bulk`,
): Promise<Result[]> {
  const answer = await caller.rest<{ results: Result[] }>('POST', address, { body: { operations, ...more } });
  expect(answer.status).toBe(200);
  return answer.body.results;
}

const errorsOf = ({ status, error }: Result = { status: 0 }): unknown[] => [
  status,
  ...(error?.errors ?? []).map(({ field, code }) => `${field} ${code}`),
];

describe('kept', () => {
  test('a bulk’s creates keep their id and times, one or several; the list follows the times', async () => {
    const [old, older] = ['2020-01-01T00:00:00.000Z', '1999-12-31T23:30:00.000Z'];
    const [one] = await send([keep(uuid(1), { title: 'Old', created_at: old })]);
    expect(one).toMatchObject({ status: 201, entry: { id: uuid(1), slug: 'old', created_at: old, updated_at: old } });
    const [two, three] = await send([
      keep(uuid(2).toUpperCase(), { title: 'Older', created_at: '2000-01-01T00:30:00+01:00', updated_at: old }),
      { op: 'create', data: { title: 'New', created_at: old, id: uuid(9) } },
    ]);
    expect(two).toMatchObject({ status: 201, entry: { id: uuid(2), created_at: older, updated_at: old } });
    expect(three?.entry?.created_at.slice(0, 4)).not.toBe('2020');
    expect(three?.entry?.id).not.toBe(uuid(9));
    const { body } = await scene.master.rest<RestEntry[]>('GET', path);
    expect(body.map(({ slug }) => slug)).toEqual(['new', 'old', 'older']);
    const { body: found } = await scene.master.rest<RestEntry>('GET', `${path}/${uuid(2)}`);
    expect(found).toEqual(two?.entry);
  });

  test('in a bulk, an absent or null time equals the other one, and without both they are those of the request', async () => {
    const time = '2020-01-01T00:00:00.000Z';
    const [updated, neither] = await send([
      keep(uuid(1), { created_at: null, updated_at: time }),
      keep(uuid(2), { created_at: null }),
    ]);
    expect(updated?.entry).toMatchObject({ created_at: time, updated_at: time });
    expect(Date.now() - Date.parse(neither?.entry?.created_at ?? '')).toBeLessThan(60_000);
  });

  test('an update leaves id and created_at, and sets updated_at', async () => {
    const created_at = '2020-01-01T00:00:00.000Z';
    const [, updated] = await send([
      keep(uuid(1), { title: 'A', created_at }),
      {
        op: 'update',
        id: uuid(1),
        data: { title: 'B', created_at: '2021-01-01T00:00:00.000Z', updated_at: created_at },
      },
    ]);
    expect(updated?.entry).toMatchObject({ id: uuid(1), title: 'B', created_at });
    expect(Date.now() - Date.parse(updated?.entry?.updated_at ?? '')).toBeLessThan(60_000);
  });
});

describe('refused', () => {
  test('an id that is taken in the channel, in another one, or by the same request: 409', async () => {
    const { id } = await buildEntry(scene.db, scene.channel, { slug: 'there' });
    const other = await buildChannel(scene.db, scene.site.id, { id: 'other' });
    const { id: elsewhere } = await buildEntry(scene.db, other, { slug: 'there' });
    const results = await send([keep(id), keep(elsewhere), keep(uuid(1)), keep(uuid(1).toUpperCase()), keep(uuid(2))]);
    const taken = [409, 'id taken'];
    expect(results.map(errorsOf)).toEqual([taken, taken, [201], taken, [201]]);
    expect(errorsOf((await send([keep(id)]))[0])).toEqual(taken);
    const atomic = await send([keep(uuid(3)), keep(id)], scene.master, { atomic: true });
    expect(atomic.map(errorsOf)).toEqual([[409, 'atomic not_done'], taken]);
    expect((await scene.master.rest('GET', `${path}/${uuid(3)}`)).status).toBe(404);
  });

  test('a create with an invalid id and times: 422 with every error of the operation', async () => {
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const results = await send([
      keep('films-1', { slug: 'No Slug', created_at: 'yesterday', updated_at: 5 }),
      keep(uuid(1), { created_at: future }),
      keep(uuid(1), { updated_at: future }),
      keep(uuid(1), { created_at: '2020-01-02T00:00:00Z', updated_at: '2020-01-01T00:00:00Z' }),
      keep(uuid(1), { created_at: '2020-01-01' }),
    ]);
    expect(results.map(errorsOf)).toEqual([
      [422, 'slug invalid', 'id invalid', 'created_at invalid', 'updated_at invalid'],
      ...[
        [422, 'created_at invalid'],
        [422, 'updated_at invalid'],
        [422, 'updated_at invalid'],
      ],
      [422, 'created_at invalid'],
    ]);
  });

  test('a create with an id: 403 for every token but a master token; a master token may with use_acl, if the channel lets it create', async () => {
    await buildChannel(scene.db, scene.site.id, { id: 'open', createScope: 'public' });
    const user = as(app, {
      token: (await buildUser(scene.db, { memberOf: [scene.site.id] })).token,
      site: scene.site.id,
    });
    const open = '/channels/open/entries/bulk';
    for (const caller of [scene.visitor, user]) {
      const results = await send(
        [keep(uuid(1)), keep('x'), { op: 'create', data: { title: 'Mine' } }],
        caller,
        {},
        open,
      );
      expect(results.map(({ status }) => status)).toEqual([403, 403, 201]);
    }
    const [checked] = await send([keep(uuid(1))], scene.master, {}, `${open}?use_acl=true`);
    expect(checked?.entry?.id).toBe(uuid(1));
    const [closed] = await send([keep(uuid(2))], scene.master, {}, `${path}/bulk?use_acl=true`);
    expect(closed?.status).toBe(403);
  });

  test('GraphQL takes no id for a new entry', async () => {
    const operation = `{ op: CREATE, id: "${uuid(1)}", input: {} }`;
    const query = `mutation { bulkEntries(channel: "articles", operations: [${operation}]) { results { status } } }`;
    expect((await scene.master.gql(query)).data).toEqual({ bulkEntries: { results: [{ status: 400 }] } });
  });
});
