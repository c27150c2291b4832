// Long polls of changes (docs/contract.md §9.2): an answer that would be empty waits for something that its reader may see.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { as, type Caller, type Credentials, type RestAnswer } from '../../support/as.ts';
import { buildCustomer, buildUser } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', STREAMS_PER_TOKEN: '3' });
const path = '/channels/articles/entries';

interface Page {
  changes: { type: string; id: string | null; entry?: { title: string } | null }[];
  cursor: string;
  more: boolean;
}

function poll(caller: Caller, after: string, wait: string, from = '/changes'): Promise<RestAnswer<Page>> {
  return caller.rest('GET', `${from}?after=${after}`, { headers: { Prefer: `wait=${wait}` } });
}

async function now(caller: Caller): Promise<string> {
  return (await caller.rest<Page>('GET', '/changes?after=now')).body.cursor;
}

async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', path, { body }), 201).id;
}

describe('what ends the wait', () => {
  test('a long poll ends with a change, through whichever door or process', async () => {
    const scene = await buildScene(app);
    const cursor = await now(scene.master);
    for (const from of ['/changes', '/channels/articles/changes']) {
      const waiting = poll(scene.master, cursor, '30', from);
      await sleep(100);
      const id = await create(scene, { title: 'New' });
      const { status, body, headers } = await waiting;
      expect(status).toBe(200);
      expect(headers.get('preference-applied')).toBe('wait=30');
      expect(body.changes[0]).toMatchObject({ type: 'entry.created' });
      expect((await poll(scene.master, body.cursor, '0', from)).body.changes.map((change) => change.id)).toEqual(
        body.changes.some((change) => change.id === id) ? [] : [id],
      );
    }
  });

  test('a long poll with changes answers at once, with their entries', async () => {
    const scene = await buildScene(app);
    const cursor = await now(scene.master);
    await create(scene, { title: 'Here' });
    const { body } = await scene.master.rest<Page>('GET', `/changes?after=${cursor}&include=entry`, {
      headers: { Prefer: 'respond-async, wait="60"; x=y' },
    });
    expect(body.changes.map(({ entry }) => entry?.title)).toEqual(['Here']);
  });

  test('a long poll ends after its time with an empty answer, whose cursor is valid', async () => {
    const scene = await buildScene(app);
    const cursor = await now(scene.master);
    const begun = performance.now();
    const { body, headers } = await poll(scene.master, cursor, '1');
    expect(performance.now() - begun).toBeGreaterThan(950);
    expect(body).toEqual({ changes: [], cursor, more: false });
    expect(headers.get('preference-applied')).toBe('wait=1');
    await create(scene, { title: 'Later' });
    expect((await poll(scene.master, body.cursor, '1')).body.changes).toHaveLength(1);
  });

  test('a long poll does not end with a hidden change', async () => {
    const scene = await buildScene(app, { publishable: true, readScope: 'public' });
    const cursor = await now(scene.visitor);
    const begun = performance.now();
    const waiting = poll(scene.visitor, cursor, '2');
    await create(scene, { title: 'Draft' });
    const { body } = await waiting;
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    expect(body.changes).toEqual([]);
    const next = poll(scene.visitor, body.cursor, '30');
    const id = await create(scene, { title: 'Open', _status: 'published' });
    expect((await next).body.changes[0]).toMatchObject({ type: 'entry.created', id });
  });
});

describe('the preference', () => {
  test.each([
    ['wait=120', 'wait=60'],
    ['count=none, wait=7', 'wait=7'],
    ['wait=5, wait=9', 'wait=5'],
    ['wait=soon', null],
    ['waiting=5', null],
  ])('the preference %s is applied as %s', async (prefer, applied) => {
    const scene = await buildScene(app);
    const { status, headers } = await scene.master.rest('GET', '/changes', { headers: { Prefer: prefer } });
    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe(applied);
  });

  test('HEAD does not hold a long poll', async () => {
    const scene = await buildScene(app);
    const { status } = await scene.master.rest('HEAD', '/changes?after=now', { headers: { Prefer: 'wait=60' } });
    expect(status).toBe(200);
  });
});

describe('what ends while it waits', () => {
  const endings: [what: string, status: number, (scene: Scene) => Promise<[Credentials, () => Promise<unknown>]>][] = [
    [
      'a token',
      401,
      async ({ db, site }) => {
        const { token, id } = await buildUser(db, { memberOf: [site.id] });
        const end = (): Promise<unknown> =>
          db.token.updateMany({ where: { userId: id }, data: { revokedAt: new Date() } });
        return [{ token, site: site.id }, end];
      },
    ],
    [
      'a session',
      401,
      async ({ db, site }) => {
        const { session } = await buildCustomer(db, site.id, { id: 'ada' });
        const end = (): Promise<unknown> =>
          db.session.updateMany({ where: { siteId: site.id }, data: { revokedAt: new Date() } });
        return [{ token: site.public, session }, end];
      },
    ],
    [
      'a membership',
      403,
      async ({ db, site }) => {
        const { token } = await buildUser(db, { memberOf: [site.id] });
        return [{ token, site: site.id }, () => db.membership.deleteMany({ where: { siteId: site.id } })];
      },
    ],
  ];

  test.each(endings)('a long poll ends when %s: %d within a second', async (_what, status, build) => {
    const scene = await buildScene(app);
    const [credentials, end] = await build(scene);
    const waiting = poll(as(app, credentials), 'now', '30');
    await sleep(200);
    await end();
    const begun = performance.now();
    expect((await waiting).status).toBe(status);
    expect(performance.now() - begun).toBeLessThan(1_500);
  });

  test('a long poll ends with its channel: 404', async () => {
    const scene = await buildScene(app);
    const waiting = poll(scene.master, 'now', '30', '/channels/articles/changes');
    await sleep(200);
    await scene.master.rest('DELETE', '/channels/articles?confirm=articles');
    expectProblem(await waiting, 'not_found');
  });
});

describe('limits', () => {
  test('a caller gets a limited number of long polls, and each that ends makes room', async () => {
    const scene = await buildScene(app);
    const asked = Array.from({ length: 3 }, () => {
      const sent = request(`${app.url}/changes?after=now`, {
        agent: false,
        headers: { Authorization: `Bearer ${scene.site.master}`, Prefer: 'wait=60' },
      });
      sent.on('error', () => undefined).end();
      return sent;
    });
    await sleep(300);
    const refused = await poll(scene.master, 'now', '60');
    expectProblem(refused, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBe('5');
    // Whoever does not wait, or is another caller, is answered.
    expect((await poll(scene.master, 'now', '0')).status).toBe(200);
    expect((await poll(scene.visitor, 'now', '1')).status).toBe(200);
    asked[0]?.destroy();
    await sleep(200);
    expect((await poll(scene.master, 'now', '1')).status).toBe(200);
    for (const sent of asked) sent.destroy();
  });

  test('a long poll delays no other request of its caller', async () => {
    const scene = await buildScene(app);
    const cursor = await now(scene.master);
    const waiting = Array.from({ length: 3 }, () => poll(scene.master, cursor, '60'));
    await sleep(100);
    for (let at = 0; at < 10; at += 1) expect((await scene.master.rest('GET', path)).status).toBe(200);
    // They waited all the while: what ends the wait is this.
    const id = await create(scene, { title: 'New' });
    for (const { body } of await Promise.all(waiting)) expect(body.changes.map((change) => change.id)).toEqual([id]);
  });
});
