// Idempotency-Key (docs/contract.md §5): what is sent again is not done again, and gets the first answer.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { siteBatches } from '../../../src/database/siteBatches.ts';
import { deleteExpiredResponses } from '../../../src/resolvers/storedResponses.ts';
import { Sweep } from '../../../src/base/sweep.ts';
import { startApp } from '../../support/app.ts';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildToken, buildUser, type TestSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const path = '/channels/articles/entries';
const bulkPath = `${path}/bulk`;
const body = { title: 'Hello' };

const app = await suiteApp({ RATE_LIMIT: 'off' });
let site: TestSite;
let master: Caller;
beforeEach(async () => {
  site = await buildPlace();
  master = as(app, { token: site.master });
});

async function buildPlace(): Promise<TestSite> {
  const place = await buildSite(app.database.prisma);
  await buildChannel(app.database.prisma, place.id, { id: 'articles', createScope: 'public' });
  return place;
}

function post<Body>(caller: Caller, key: string, sent: unknown = body, address = path): Promise<RestAnswer<Body>> {
  return caller.rest('POST', address, { body: sent, headers: { 'Idempotency-Key': key } });
}

const kept = ({ status, headers, text }: RestAnswer<unknown>): unknown[] => [
  ...[status, text],
  ...['location', 'etag', 'content-type', 'vary', 'cache-control'].map((name) => headers.get(name)),
];

function count(siteId = site.id): Promise<number> {
  return app.database.prisma.entry.count({ where: { siteId } });
}

function age(hours: number): Promise<number> {
  return app.database.prisma.$executeRaw`UPDATE idempotency_keys SET created_at = now() - ${hours} * interval '1 hour'
    WHERE site_id = ${site.id}`;
}

async function keys(): Promise<string[]> {
  const rows = await app.database.prisma.idempotencyKey.findMany({ where: { siteId: site.id } });
  return rows.map(({ key }) => key);
}

/** Deletes what has expired, as the service does from time to time. */
async function sweep(): Promise<void> {
  const errors: unknown[] = [];
  const { prisma } = app.database;
  const responses = new Sweep(
    { batches: () => siteBatches(prisma), isLeader: () => false, onError: (error) => errors.push(error) },
    (...batch) => deleteExpiredResponses(prisma, ...batch),
  );
  await responses.sweep();
  await responses.close();
  expect(errors).toEqual([]);
}

describe('the same request again', () => {
  test('a repeated create gets the first answer with its headers, and creates nothing', async () => {
    const first = await post(master, 'k');
    const { id } = expectEntry(first, 201);
    expect([first.headers.get('location'), first.headers.get('etag')]).toEqual([
      expect.stringContaining(id),
      expect.stringMatching(/^"1\./),
    ]);
    expect(kept(await post(master, 'k'))).toEqual(kept(first));
    await master.rest('DELETE', `${path}/${id}`);
    expect(kept(await post(master, 'k'))).toEqual(kept(first));
    expect(await count()).toBe(0);
  });

  test('a repeated bulk gets the first answer, refused operations included', async () => {
    const operations = [{ op: 'create', data: body }, { op: 'delete', id: 'nowhere' }, {}];
    const first = await post(master, 'k', { operations }, bulkPath);
    expect(first.status).toBe(200);
    expect(kept(await post(master, 'k', { operations }, bulkPath))).toEqual(kept(first));
    expect(await count()).toBe(1);
  });

  test('ten concurrent creates with one key make one entry, and each gets the first answer or a 409', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(master, 'k')));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 'conflict');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(await count()).toBe(1);
    expect(kept(await post(master, 'k'))).toEqual(made[0] && kept(made[0]));
  });

  test('a repeated request to another process gets the first answer', async () => {
    const first = await post(master, 'k');
    const other = await startApp({ PUBLIC_URL: app.url }, app.database);
    try {
      expect(kept(await post(as(other, { token: site.master }), 'k'))).toEqual(kept(first));
      expect(await count()).toBe(1);
    } finally {
      await other.close();
    }
  });

  test('an answer is kept for a day, and after that the request is done again', async () => {
    const first = expectEntry(await post(master, 'k'), 201);
    await age(23.9);
    expect(expectEntry(await post(master, 'k'), 201)).toEqual(first);
    await age(24.1);
    expect(expectEntry(await post(master, 'k'), 201).id).not.toBe(first.id);
    expect(await count()).toBe(2);
  });

  test('answers older than a day are deleted in the background', async () => {
    for (const key of ['a', 'b']) await post(master, key);
    await age(25);
    await post(master, 'c');
    await sweep();
    expect(await keys()).toEqual(['c']);
  });
});

describe('updates and deletes', () => {
  test('a repeated update or delete gets the first answer, and is done once', async () => {
    const { id } = expectEntry(await post(master, 'k'), 201);
    const address = `${path}/${id}`;
    const send = (method: string, key: string, sent?: unknown, more: Record<string, string> = {}) =>
      master.rest(method, address, { body: sent, headers: { 'Idempotency-Key': key, ...more } });
    for (const [method, title] of [
      ['PATCH', 'A'],
      ['PUT', 'B'],
    ] as const) {
      const first = await send(method, method, { title });
      expect([expectEntry(first)['title'], first.headers.get('idempotent-replayed')]).toEqual([title, null]);
      await master.rest('PATCH', address, { body: { title: 'Between' } });
      const again = await send(method, method, { title });
      expect(kept(again)).toEqual(kept(first));
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(expectEntry(await master.rest('GET', address))['title']).toBe('Between');
      expectProblem(await send(method, method, { title: 'C' }), 'validation_failed', ['Idempotency-Key']);
      const conditional = await send(method, method, { title }, { 'If-Match': '"1"' });
      expectProblem(conditional, 'validation_failed', ['Idempotency-Key']);
    }
    expect([(await send('DELETE', 'd')).status, (await send('DELETE', 'd')).status]).toEqual([204, 204]);
    expect((await send('DELETE', 'e')).status).toBe(404);
    expect(await keys()).toHaveLength(4);
  });
});

describe('another request with the key', () => {
  test('a request with a used key and another body, path or query is 422, and the first answer stays', async () => {
    await buildChannel(app.database.prisma, site.id, { id: 'others' });
    const first = await post(master, 'k');
    const others: [unknown, string][] = [
      [{ title: 'Other' }, path],
      [{ ...body, more: 1 }, path],
      [body, '/channels/others/entries'],
      [body, `${path}?use_acl=true`],
      [{ operations: [{ op: 'create', data: body }] }, bulkPath],
    ];
    for (const [sent, address] of others) {
      expectProblem(await post(master, 'k', sent, address), 'validation_failed', ['Idempotency-Key']);
    }
    expect(kept(await post(master, 'k'))).toEqual(kept(first));
    expect(await count()).toBe(1);
  });

  test('the same key with another token, session, site or member is a key of its own', async () => {
    const { prisma } = app.database;
    const there = await buildPlace();
    const user = await buildUser(prisma, { memberOf: [site.id, there.id] });
    const customers = [await buildCustomer(prisma, site.id), await buildCustomer(prisma, site.id)];
    const callers = [
      ...[{ token: site.master }, { token: site.public }, { token: there.master }],
      ...[site, there].map(({ id }) => ({ token: user.token, site: id })),
      ...customers.map(({ session }) => ({ token: site.public, session })),
      { token: (await buildToken(prisma, { kind: 'public', siteId: site.id })).token },
    ];
    const made = new Set<string>();
    for (const credentials of callers) made.add(expectEntry(await post(as(app, credentials), 'k'), 201).id);
    expect(made.size).toBe(callers.length);
    expect([await count(), await count(there.id)]).toEqual([6, 2]);
  });
});

describe('what is not kept', () => {
  test.each([
    [false, [{ op: 'create', data: body }, { op: 'delete', id: 'nowhere' }, {}], 'public', 403],
    [
      true,
      [
        { op: 'create', data: body },
        { op: 'delete', id: 'nowhere' },
      ],
      'master',
      409,
    ],
  ] as const)(
    'the answer of a bulk that did nothing is not kept (atomic: %s)',
    async (atomic, operations, kind, status) => {
      await buildChannel(app.database.prisma, site.id, { id: 'closed' });
      const address = '/channels/closed/entries/bulk';
      const caller = as(app, { token: site[kind] });
      const answer = await post<{ results: { status: number }[] }>(caller, 'k', { operations, atomic }, address);
      expect(answer.body.results[0]?.status).toBe(status);
      expect([await count(), await keys()]).toEqual([0, []]);
      expectEntry(await post(as(app, { token: site[kind] }), 'k'), 201);
    },
  );

  test('a refusal is not kept: the corrected request can be sent with its key', async () => {
    expectProblem(await post(master, 'k', { slug: 'No Slug' }), 'validation_failed', ['slug']);
    expectProblem(await post(master, 'k', [], bulkPath), 'bad_request');
    expectEntry(await post(master, 'k'), 201);
    expect(await count()).toBe(1);
  });

  test('an invalid key is 400, and nothing is done', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256), 'ä', 'a\tb']) {
      expectProblem(await post(master, key), 'bad_request');
    }
    expectEntry(await post(master, 'x'.repeat(255)), 201);
    expectEntry(await post(master, '"~!'), 201);
    expect(await count()).toBe(2);
  });

  test('a read ignores the key', async () => {
    expect((await master.rest('GET', path, { headers: { 'Idempotency-Key': 'not one' } })).status).toBe(200);
  });

  test('only a digest of a request with a key is stored', async () => {
    await post(master, 'k', { title: 'Hello', secret: 'x', _acl: null });
    const rows = await app.database.prisma.idempotencyKey.findMany({ where: { siteId: site.id } });
    expect(rows.map(({ request, holder }) => [request.length, holder.length])).toEqual([[32, 32]]);
    expect(rows[0]?.body).toMatch(/^sealed:[\w+/=]+$/);
  });

  test('a stored response from before responses were encrypted is sent', async () => {
    const first = await post(master, 'k');
    await app.database.prisma.idempotencyKey.updateMany({ where: { siteId: site.id }, data: { body: first.text } });
    expect(kept(await post(master, 'k'))).toEqual(kept(first));
  });
});
