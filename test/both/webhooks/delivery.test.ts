// Webhooks (docs/contract.md §9.3): what is sent to a receiver, signed, in which order, and what is logged.
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startReceiver, type Answering } from '../../support/receiver.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { create, createHook, hurry, log, typesOf, until } from '../../support/webhooks.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });
const path = '/channels/articles/entries';

const status =
  (code: number): Answering =>
  (_received, response) =>
    void response.writeHead(code).end();

describe('what is sent', () => {
  test('a webhook gets each change with the present entry, in a signed message', async () => {
    const scene = await buildScene(app, { publishable: true });
    const receiver = await startReceiver();
    const hook = await createHook(scene, { url: receiver.url });
    const id = await create(scene, { title: 'One', _status: 'published', _owner: 'ada' });
    const [created, published] = await receiver.wait(2);
    expect(typesOf(receiver.received)).toEqual(['entry.created', 'entry.published']);
    for (const message of [created, published]) {
      expect(new Webhook(hook.secret).verify(message?.text ?? '', message?.headers ?? {})).toEqual(message?.body);
    }
    expect(() => new Webhook(hook.secret).verify(`${created?.text} `, created?.headers ?? {})).toThrow();
    const entry = await scene.master.rest('GET', `${path}/${id}`);
    expect(created?.body.data.entry).toEqual({ ...entry.body });
    const feed = await scene.master.rest<{ changes: { type: string; cursor: string }[] }>('GET', '/changes');
    expect(created?.body.data.change).toEqual(feed.body.changes.at(-2));
    expect(published?.body.data.change).toEqual(feed.body.changes.at(-1));
    expect(created?.headers['webhook-id']).not.toBe(published?.headers['webhook-id']);
    expect(created?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Entryway' });
    expect(created?.headers).not.toHaveProperty('cookie');
    const logged = await until(
      () => log(scene, hook),
      (list) => list.length === 2,
    );
    expect(logged[0]).toMatchObject({ attempt: 1, status: 204, error: null, answer: '', next_attempt_at: null });
    expect(logged[0]?.change).toEqual(feed.body.changes.at(-1));
  });

  test('a webhook gets changes of its types and channels alone', async () => {
    const scene = await buildScene(app);
    const [typed, elsewhere] = [await startReceiver(), await startReceiver()];
    await createHook(scene, { url: typed.url, types: ['entry.deleted'], channels: ['articles'] });
    await createHook(scene, { url: elsewhere.url, channels: ['films'] });
    const id = await create(scene, { title: 'One' });
    await scene.master.rest('POST', '/channels', { body: { id: 'films' } });
    await scene.master.rest('DELETE', `${path}/${id}`);
    expect((await typed.wait(1)).map(({ body }) => [body.type, body.data.entry])).toEqual([['entry.deleted', null]]);
    expect(typesOf(await elsewhere.wait(1))).toEqual(['channel.created']);
  });

  test('a webhook with the public audience gets the changes that an anonymous visitor may see', async () => {
    const scene = await buildScene(app, { publishable: true });
    const [open, all] = [await startReceiver(), await startReceiver()];
    await createHook(scene, { url: open.url, audience: 'public' });
    await createHook(scene, { url: all.url });
    const hidden = await create(scene, { title: 'Hidden', _status: 'draft' });
    const id = await create(scene, { title: 'Draft', _status: 'draft', _owner: 'ada' });
    await scene.master.rest('PATCH', `${path}/${hidden}`, { body: { title: 'Secret' } });
    await scene.master.rest('PATCH', `${path}/${id}`, { body: { title: 'Open', _status: 'published' } });
    await open.wait(2);
    await scene.master.rest('PATCH', `${path}/${id}`, { body: { title: 'Closed', _status: 'draft' } });
    await scene.master.rest('DELETE', `${path}/${id}`);
    await scene.master.rest('PATCH', '/channels/articles', { body: { name: 'Renamed' } });
    await all.wait(9);
    expect(typesOf(open.received)).toEqual(['entry.updated', 'entry.published', 'entry.removed']);
    const texts = open.received.map(({ text }) => text).join();
    for (const secret of [hidden, 'Secret', 'Closed', 'Draft', 'Renamed', '_owner', '_acl'])
      expect(texts).not.toContain(secret);
    expect(open.received[0]?.body.data.entry).toMatchObject({ id, title: 'Open' });
    expect(open.received[2]?.body.data).toMatchObject({ change: { id, version: null }, entry: null });
  });

  test('a webhook with the public audience gets the removal of a deleted channel if a visitor saw an entry', async () => {
    const scene = await buildScene(app);
    const [open, all] = [await startReceiver(), await startReceiver()];
    await scene.master.rest('POST', '/channels', { body: { id: 'closed', acl: { read: 'none' } } });
    await scene.master.rest('POST', '/channels/closed/entries', { body: { title: 'Hidden' } });
    await create(scene, { title: 'Open' });
    await createHook(scene, { url: open.url, audience: 'public', types: ['channel.removed', 'channel.deleted'] });
    await createHook(scene, { url: all.url });
    for (const id of ['closed', 'articles']) await scene.master.rest('DELETE', `/channels/${id}?confirm=${id}`);
    expect(typesOf(await all.wait(2))).toEqual(['channel.deleted', 'channel.deleted']);
    const received = await open.wait(1);
    expect(received.map(({ body }) => body.data)).toEqual([
      {
        change: expect.objectContaining({ type: 'channel.removed', channel: 'articles', id: null }) as unknown,
        entry: null,
      },
    ]);
  });

  test('a message has the entry as it is when it is sent', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver(status(500));
    const hook = await createHook(scene, { url: receiver.url, audience: 'public' });
    const id = await create(scene, { title: 'One' });
    await receiver.wait(1);
    await until(
      () => log(scene, hook),
      (list) => list.length === 1,
    );
    await scene.master.rest('PATCH', `${path}/${id}`, { body: { _acl: { '*': { read: false } } } });
    receiver.answer(status(204));
    await hurry(scene);
    const received = await receiver.wait(3);
    expect(received.map(({ body }) => [body.type, body.data.entry?.['title'] ?? null])).toEqual([
      ['entry.created', 'One'],
      ['entry.created', null],
      ['entry.removed', null],
    ]);
  });
});

describe('order', () => {
  test('the changes of an entry are sent one after the other, and delay no other entry', async () => {
    const scene = await buildScene(app);
    const [refusing, other] = [await startReceiver(), await startReceiver()];
    const hook = await createHook(scene, { url: refusing.url });
    await createHook(scene, { url: other.url });
    const id = await create(scene, { title: '1' });
    await refusing.wait(1);
    refusing.answer(({ body }, response) => void response.writeHead(body.data.change?.id === id ? 500 : 204).end());
    for (const title of ['2', '3', '4']) await scene.master.rest('PATCH', `${path}/${id}`, { body: { title } });
    const free = await create(scene, { title: 'Free' });
    await refusing.wait(3);
    await other.wait(5);
    await until(
      () => log(scene, hook),
      (list) => list.length === 3,
    );
    const versions = () =>
      refusing.received.map(({ body: { data } }) => [data.change?.id === free ? 'free' : 'one', data.change?.version]);
    expect(versions().sort()).toEqual([
      ['free', 1],
      ['one', 1],
      ['one', 2],
    ]);
    refusing.answer(status(200));
    await hurry(scene);
    await refusing.wait(6);
    expect(versions().slice(3)).toEqual([
      ['one', 2],
      ['one', 3],
      ['one', 4],
    ]);
    const again = refusing.received.filter(({ body }) => body.data.change?.version === 2);
    expect(new Set(again.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(again).toHaveLength(2);
  });

  test('a receiver that hangs delays no other one', async () => {
    const scene = await buildScene(app);
    const count = { open: 0, most: 0 };
    const hang: Parameters<typeof startReceiver>[0] = (_message, response) => {
      count.open += 1;
      count.most = Math.max(count.most, count.open);
      response.on('close', () => (count.open -= 1));
    };
    const [hanging, other] = [await startReceiver(hang), await startReceiver()];
    await createHook(scene, { url: hanging.url });
    await createHook(scene, { url: other.url });
    for (let number = 0; number < 30; number += 1) await create(scene, { title: String(number) });
    await other.wait(30);
    // As many as may be sent to it at the same time: on a busy machine the first ones have timed out by now, and others have begun.
    await hanging.wait(8);
    expect(count.most).toBeLessThanOrEqual(8);
  });
});

describe('what is sent again', () => {
  test('a failed event is sent again after the pauses of the contract, until it is given up', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver(status(503));
    const hook = await createHook(scene, { url: receiver.url });
    await create(scene, { title: 'One' });
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await receiver.wait(attempt);
      await until(
        () => log(scene, hook),
        (list) => list.length === attempt,
      );
      await hurry(scene);
    }
    const logged = (await log(scene, hook)).reverse();
    expect(logged.map(({ attempt, status: code }) => [attempt, code])).toEqual(
      Array.from({ length: 9 }, (_, index) => [index + 1, 503]),
    );
    const pauses = [5, 30, 120, 600, 3_600, 10_800, 28_800, 86_400];
    for (const [index, pause] of pauses.entries()) {
      const { at, milliseconds, next_attempt_at: next } = logged[index] ?? {};
      const seconds = (Date.parse(next ?? '') - Date.parse(at ?? '') - (milliseconds ?? 0)) / 1000;
      expect(seconds).toBeGreaterThanOrEqual(pause - 0.01);
      expect(seconds).toBeLessThanOrEqual(pause * 1.2 + 0.01);
    }
    expect(logged[8]?.next_attempt_at).toBeNull();
    const { site, db } = scene;
    expect(await db.webhookEvent.count({ where: { siteId: site.id } })).toBe(0);
  });

  test('a webhook that answers 410 is disabled, and gets nothing more', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver(status(410));
    const { id } = await createHook(scene, { url: receiver.url });
    const find = () => scene.master.rest('GET', `/webhooks/${id}`);
    await create(scene, { title: 'One' });
    const { body } = await until(find, (answer) => answer.body['enabled'] === false);
    expect(body).toMatchObject({ disabled_reason: 'gone' });
    const audited = await scene.master.rest<object[]>('GET', '/audit?type=webhook&per_page=1');
    expect(audited.body).toEqual([
      expect.objectContaining({
        ...{ subject: id, action: 'disabled', request_id: null },
        actor: { kind: 'service', token: null, user: null, customer: null, name: null },
        before: { enabled: true, disabled_reason: null },
        after: { enabled: false, disabled_reason: 'gone' },
      }),
    ]);
    await create(scene, { title: 'Two' });
    receiver.answer(status(200));
    const enabled = await scene.master.rest('PATCH', `/webhooks/${id}`, { body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
    const three = await create(scene, { title: 'Three' });
    const received = await receiver.wait(2);
    expect(received[1]?.body.data.change?.id).toBe(three);
  });

  test('a webhook that fails for 5 days is disabled; a success begins the time again', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver(status(500));
    const hook = await createHook(scene, { url: receiver.url });
    const find = () => scene.master.rest('GET', `/webhooks/${hook.id}`);
    const since = (days: number) =>
      scene.db.webhook.updateMany({
        where: { siteId: scene.site.id },
        data: { failingSince: new Date(Date.now() - days * 86_400_000) },
      });
    await create(scene, { title: 'One' });
    await until(find, (answer) => answer.body['failing_since'] !== null);
    await since(4.9);
    await hurry(scene);
    await until(
      () => log(scene, hook),
      (list) => list.length === 2,
    );
    expect((await find()).body).toMatchObject({ enabled: true });
    receiver.answer(status(200));
    await hurry(scene);
    await until(find, (answer) => answer.body['failing_since'] === null);
    receiver.answer(status(500));
    await create(scene, { title: 'Two' });
    await until(find, (answer) => answer.body['failing_since'] !== null);
    await since(5.1);
    await hurry(scene);
    const { body } = await until(find, (answer) => answer.body['enabled'] === false);
    expect(body).toMatchObject({ disabled_reason: 'failing' });
    await until(
      () => scene.db.webhookEvent.count({ where: { siteId: scene.site.id } }),
      (count) => count === 0,
    );
  });

  test('an event that a killed process has leased is sent after its lease', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver(status(500));
    const hook = await createHook(scene, { url: receiver.url });
    await create(scene, { title: 'One' });
    await until(
      () => log(scene, hook),
      (list) => list.length === 1,
    );
    const [holder, heldUntil] = ['0198b2c2-7a7a-7000-8000-000000000001', new Date(Date.now() + 3_600_000)];
    const where = { siteId: scene.site.id };
    await scene.db.webhookEvent.updateMany({ where, data: { holder, heldUntil, dueAt: new Date(0) } });
    // The service looks every second.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(receiver.received).toHaveLength(1);
    receiver.answer(status(200));
    await scene.db.webhookEvent.updateMany({ where, data: { heldUntil: new Date(0) } });
    expect(typesOf(await receiver.wait(2))).toEqual(['entry.created', 'entry.created']);
  });
});
