// Streams of changes by REST (docs/contract.md §9.2): Server-Sent Events.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildCustomer, buildToken, buildUser } from '../../support/build.ts';
import { openEvents, type EventReader } from '../../support/eventStream.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', STREAMS_PER_TOKEN: '3', REQUEST_TIMEOUT: '5000' });
const path = '/channels/articles/entries';

const readers: EventReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

async function open(
  from: string,
  credentials: Credentials,
  headers: Record<string, string> = {},
  at: { url: string } = app,
): Promise<EventReader> {
  const reader = await openEvents(at, from, credentials, headers);
  readers.push(reader);
  return reader;
}

/** Opens a stream as soon as its caller may have one more. */
async function openFreed(
  from: string,
  credentials: Credentials,
  headers?: Record<string, string>,
): Promise<EventReader> {
  for (;;) {
    const reader = await open(from, credentials, headers);
    if (reader.status !== 429) return reader;
    await sleep(200);
  }
}

async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', path, { body }), 201).id;
}

interface Change {
  cursor: string;
  type: string;
  id: string | null;
  entry?: { title: string } | null;
}

const dataOf = ({ data = 'null' }: { data?: string }): Change => JSON.parse(data) as Change;

describe('what comes', () => {
  test('a stream has the kept changes, then new ones, each with its cursor and type', async () => {
    const scene = await buildScene(app);
    const first = await create(scene, { title: 'Before' });
    const reader = await open('/changes?include=entry', { token: scene.site.master });
    expect(reader.status).toBe(200);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(reader.response.headers['content-encoding']).toBeUndefined();
    const [channel, created] = await reader.take(2);
    expect(channel?.event).toBe('channel.created');
    expect(created).toMatchObject({ event: 'entry.created', id: dataOf(created ?? {}).cursor });
    expect(dataOf(created ?? {})).toMatchObject({ id: first, entry: { title: 'Before' } });
    const second = await create(scene, { title: 'Line 1\nLine 2' });
    await scene.master.rest('DELETE', `${path}/${second}`);
    const events = await reader.take(2);
    expect(events.map(({ event }) => event)).toEqual(['entry.created', 'entry.deleted']);
    expect(reader.blocks[0]).toEqual({ retry: '2000' });
  });

  test('a stream begins after a cursor, or now; Last-Event-ID takes precedence over after', async () => {
    const scene = await buildScene(app);
    const ids = [await create(scene, { title: 'a' }), await create(scene, { title: 'b' })];
    const credentials = { token: scene.site.master };
    const whole = await (await open('/changes?types=entry.created', credentials)).take(2);
    expect(whole.map((event) => dataOf(event).id)).toEqual(ids);
    const last = { 'Last-Event-ID': whole[0]?.id ?? '' };
    const resumed = await open('/channels/articles/changes?after=now', credentials, last);
    expect((await resumed.take(1)).map((event) => dataOf(event).id)).toEqual([ids[1]]);
    const fresh = await open('/changes?after=now', credentials);
    ids.push(await create(scene, { title: 'c' }));
    expect((await fresh.take(1)).map((event) => dataOf(event).id)).toEqual([ids[2]]);
    // A reader that got nothing goes on from where it began.
    expect(fresh.blocks[0]?.id).toEqual(expect.any(String));
  });

  test('a stream has only visible changes, and removals of entries that become hidden', async () => {
    const scene = await buildScene(app, { publishable: true, readScope: 'public' });
    const reader = await open('/changes', { token: scene.site.public });
    await create(scene, { title: 'Draft' });
    const id = await create(scene, { title: 'Open', _status: 'published' });
    const [created, published] = await reader.take(2);
    expect([created?.event, published?.event]).toEqual(['entry.created', 'entry.published']);
    expect(dataOf(created ?? {}).id).toBe(id);
    await scene.master.rest('PATCH', `${path}/${id}`, { body: { _status: 'draft' } });
    const [removed] = await reader.take(1);
    expect(dataOf(removed ?? {})).toMatchObject({ type: 'entry.removed', id, version: null });
    // A draft made no block of its own.
    expect(reader.blocks).toHaveLength(4);
  });

  test('a stream has many concurrent changes, all in order', async () => {
    const scene = await buildScene(app);
    const reader = await open('/changes?types=entry.created&after=now', { token: scene.site.master });
    const operations = Array.from({ length: 250 }, (_, index) => ({ op: 'create', data: { title: `n${index}` } }));
    await scene.master.rest('POST', `${path}/bulk`, { body: { operations } });
    const events = await reader.take(250);
    const { body } = await scene.master.rest<{ changes: Change[] }>('GET', '/changes?types=entry.created&limit=1000');
    expect(events.map(dataOf)).toEqual(body.changes);
    expect(events).toHaveLength(250);
  });
});

describe('who gets a stream', () => {
  test.each([
    ['text/event-stream', true],
    ['text/event-stream, application/json;q=0.5', true],
    ['text/event-stream;q=0.5, application/json', false],
    ['text/event-stream;q=0', false],
    ['application/json, text/event-stream', false],
    ['*/*', false],
    ['text/html', false],
  ])('a stream is sent for Accept: %s', async (accept, streams) => {
    const scene = await buildScene(app);
    const reader = await open('/changes', { token: scene.site.master }, { Accept: accept });
    expect(reader.status).toBe(200);
    expect(reader.response.headers['content-type']?.startsWith('text/event-stream')).toBe(streams);
  });

  test.each([
    ['/changes?after=nonsense', 400, 'bad_request'],
    ['/changes?limit=10', 400, 'bad_request'],
    ['/changes?types=nothing', 400, 'bad_request'],
    ['/channels/nowhere/changes', 404, 'not_found'],
  ])('%s is refused before the stream begins: %d', async (from, status, code) => {
    const scene = await buildScene(app);
    const reader = await open(from, { token: scene.site.master });
    expect(reader.status).toBe(status);
    expect(reader.response.headers['content-type']).toContain('application/problem+json');
    expect(JSON.parse(await reader.text())).toMatchObject({ code });
  });

  test('caches keep pages and streams apart', async () => {
    const scene = await buildScene(app);
    const vary =
      /^Accept, Prefer, Accept-Encoding, Authorization, X-Service-Site, Session-Token, X-Service-Session-Token/;
    for (const from of ['/changes?after=now', '/channels/articles/changes?after=now', '/changes?after=nonsense']) {
      const page = await scene.master.rest('GET', from);
      expect(page.headers.get('vary')).toMatch(vary);
      expect(page.headers.get('cache-control')).toBe('private, no-cache');
      expect(page.headers.get('etag')).toBeNull();
    }
    const stream = await open('/changes', { token: scene.site.master });
    expect(stream.response.headers.vary).toMatch(vary);
    const held = await scene.master.rest('GET', '/changes?after=now', { headers: { Prefer: 'wait=1' } });
    expect([held.headers.get('vary'), held.headers.get('cache-control')]).toEqual([
      expect.stringMatching(vary),
      'private, no-cache',
    ]);
  });

  test('a stream needs a token; HEAD gets the headers alone', async () => {
    const scene = await buildScene(app);
    expect((await open('/changes', { token: 'ew_master_x' })).status).toBe(401);
    const head = await scene.master.rest('HEAD', '/changes', { headers: { Accept: 'text/event-stream' } });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  test('a caller gets a limited number of concurrent streams', async () => {
    const scene = await buildScene(app);
    const credentials = { token: scene.site.master };
    const opened = [];
    for (let at = 0; at < 3; at += 1) opened.push(await open('/changes', credentials));
    const refused = await open('/changes', credentials);
    expect(refused.status).toBe(429);
    expect(JSON.parse(await refused.text())).toMatchObject({ code: 'rate_limited' });
    opened[0]?.close();
    expect((await openFreed('/changes', credentials)).status).toBe(200);
  });
});

describe('what ends it', () => {
  const endings: [what: string, code: string, (scene: Scene) => Promise<[Credentials, () => Promise<unknown>]>][] = [
    [
      'a revoked token',
      'unauthenticated',
      async ({ db, site }) => {
        const { token, id } = await buildToken(db, { kind: 'public', siteId: site.id });
        return [{ token }, () => db.token.update({ where: { id }, data: { revokedAt: new Date() } })];
      },
    ],
    [
      'a token that expires',
      'unauthenticated',
      async ({ db, site }) => {
        const { token, id } = await buildToken(db, { kind: 'public', siteId: site.id });
        const expiresAt = new Date(Date.now() + 1_500);
        await db.token.update({ where: { id }, data: { expiresAt } });
        return [{ token }, () => sleep(expiresAt.getTime() - Date.now())];
      },
    ],
    [
      'a session',
      'unauthenticated',
      async ({ db, site }) => {
        const { session } = await buildCustomer(db, site.id, { id: 'ada' });
        const end = (): Promise<unknown> =>
          db.session.updateMany({ where: { siteId: site.id }, data: { revokedAt: new Date() } });
        return [{ token: site.public, session }, end];
      },
    ],
    [
      'a membership',
      'forbidden',
      async ({ db, site }) => {
        const { token } = await buildUser(db, { memberOf: [site.id] });
        return [{ token, site: site.id }, () => db.membership.deleteMany({ where: { siteId: site.id } })];
      },
    ],
  ];

  test.each(endings)('a stream ends within a second of %s, with a problem', async (_what, code, build) => {
    const scene = await buildScene(app);
    const [credentials, end] = await build(scene);
    const reader = await open('/changes?after=now', credentials);
    await end();
    const begun = performance.now();
    await reader.ended;
    expect(performance.now() - begun).toBeLessThan(1_500);
    const last = reader.blocks.at(-1);
    expect(last?.event).toBe('problem');
    expect(last?.id).toBeUndefined();
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ code });
  });

  test('a stream ends with its channel', async () => {
    const scene = await buildScene(app);
    const reader = await open('/channels/articles/changes?after=now', { token: scene.site.master });
    await scene.master.rest('DELETE', '/channels/articles?confirm=articles');
    await reader.ended;
    expect(JSON.parse(reader.blocks.at(-1)?.data ?? '')).toMatchObject({ code: 'not_found' });
  });

  test('a reader that does not read delays no other, and continues from its cursor later', async () => {
    const scene = await buildScene(app);
    const credentials = { token: scene.site.master };
    const from = '/changes?include=entry&types=entry.created';
    const [stuck, reader, third] = [
      await open(from, credentials),
      await open(from, credentials),
      await open(from, credentials),
    ];
    stuck.response.pause();
    const text = 'x'.repeat(900_000);
    const ids: string[] = [];
    for (let at = 0; at < 24; at += 1) ids.push(await create(scene, { title: String(at), text }));
    for (const other of [reader, third]) expect((await other.take(24)).map((event) => dataOf(event).id)).toEqual(ids);
    // The caller has three: there is room again once the one that does not read was let go.
    const next = await openFreed('/changes?after=now', credentials);
    stuck.response.resume();
    await stuck.ended;
    const seen = stuck.blocks.filter(({ event }) => event === 'entry.created');
    expect(seen.length).toBeLessThan(ids.length);
    for (const each of [reader, third, next]) each.close();
    const last = { 'Last-Event-ID': seen.at(-1)?.id ?? '' };
    // Twenty of them would be too large for one answer.
    const resumed = await openFreed(from, credentials, last);
    const rest = await resumed.take(ids.length - seen.length);
    expect([...seen, ...rest].map((event) => dataOf(event).id)).toEqual(ids);
  });

  test('streams and polls end at once when the service stops', async () => {
    const other = await startApp({ RATE_LIMIT: 'off' });
    const scene = await buildScene(other);
    const reader = await open('/changes?after=now', { token: scene.site.master }, {}, other);
    const waiting = as(other, { token: scene.site.master }).rest<{ changes: unknown[] }>('GET', '/changes?after=now', {
      headers: { Prefer: 'wait=60' },
    });
    await sleep(200);
    const begun = performance.now();
    await other.close();
    expect(performance.now() - begun).toBeLessThan(4_000);
    await reader.ended;
    expect(reader.blocks.at(-1)).toEqual({ comment: 'the service stops' });
    const { status, body } = await waiting;
    expect([status, body.changes]).toEqual([200, []]);
  });
});
