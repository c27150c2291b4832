// Webhooks are managed by both doors (docs/contract.md §9.3): settings, secrets, tests, and the log of what was sent.
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildUser } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { time, uuid } from '../../support/managed.ts';
import { startReceiver, type Received } from '../../support/receiver.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { create, createHook, log, until, type Delivery, type Hook } from '../../support/webhooks.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });
const closed = await suiteApp({ RATE_LIMIT: 'off', NODE_ENV: 'production' });

const settings = { types: null, channels: null, audience: 'management', enabled: true };
const state = {
  disabled_reason: null,
  failing_since: null,
  old_secret_until: null,
  created_at: time,
  updated_at: time,
};
const secret = expect.stringMatching(/^whsec_[\w+/]{43}=$/);

function verifies(key: string, { text, headers }: Received): boolean {
  try {
    new Webhook(key).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}

describe('settings', () => {
  test('a webhook is created, read, changed and deleted over REST, and its secret is shown once', async () => {
    const { master } = await buildScene(app);
    const made = await master.rest<Hook>('POST', '/webhooks', { body: { url: 'https://Example.com' } });
    const { id } = made.body;
    const shown = { id: uuid, url: 'https://example.com/', ...settings, ...state };
    expect([made.status, made.body]).toEqual([201, { ...shown, secret }]);
    expect(made.headers.get('location')).toMatch(new RegExp(`/webhooks/${id}$`));
    expect((await master.rest('GET', `/webhooks/${id}`)).body).toEqual(shown);
    expect((await master.rest('GET', '/webhooks')).body).toEqual([shown]);
    const patch = {
      types: ['entry.created', 'entry.created'],
      channels: ['films'],
      audience: 'PUBLIC',
      enabled: false,
    };
    const changed = await master.rest('PATCH', `/webhooks/${id}`, { body: { ...shown, ...patch } });
    const now = { ...shown, types: ['entry.created'], channels: ['films'], audience: 'public', enabled: false };
    expect([changed.status, changed.body]).toEqual([200, now]);
    expect((await master.rest('PATCH', `/webhooks/${id}`, { body: { types: null } })).body).toEqual({
      ...now,
      types: null,
    });
    expect((await master.rest('DELETE', `/webhooks/${id}`)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expectProblem(await master.rest(method, `/webhooks/${id}`, method === 'PATCH' ? { body: {} } : {}), 'not_found');
    }
  });

  test('a webhook is created, read, changed and deleted over GraphQL', async () => {
    const { master } = await buildScene(app);
    const made = await master.gql<{ createWebhook: Hook }>(
      `mutation { createWebhook(input: { url: "https://example.com/x", types: ["entry.deleted"], audience: PUBLIC })
        { id url types channels audience enabled secret } }`,
    );
    expect(made.errors).toBeUndefined();
    const { id } = made.data.createWebhook;
    const shown = {
      url: 'https://example.com/x',
      types: ['entry.deleted'],
      channels: null,
      audience: 'PUBLIC',
      enabled: true,
    };
    expect(made.data.createWebhook).toEqual({ id: uuid, ...shown, secret });
    const { data } = await master.gql(
      `mutation { updateWebhook(id: "${id}", input: { enabled: false }) { id enabled audience } }`,
    );
    expect(data).toEqual({ updateWebhook: { id, enabled: false, audience: 'PUBLIC' } });
    const list = await master.gql(
      '{ webhooks { id url types channels audience enabled disabledReason failingSince } }',
    );
    expect(list.data).toEqual({
      webhooks: [{ id, ...shown, enabled: false, disabledReason: null, failingSince: null }],
    });
    const gone = await master.gql(`mutation { deleteWebhook(id: "${id}") }`);
    expect(gone.data).toEqual({ deleteWebhook: id });
    const again = await master.gql(`mutation { deleteWebhook(id: "${id}") }`);
    expect(again.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test.each([
    [{}, 'url', 'must be text'],
    [{ url: 'example.com' }, 'url', 'must be an absolute URL that begins with https://'],
    [{ url: 'ftp://example.com' }, 'url', 'must be an absolute URL that begins with https://'],
    [{ url: 'https://me:you@example.com' }, 'url', 'must not hold a user name or a password'],
    [{ url: 'https://example.com/#x' }, 'url', 'must not have a fragment'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 'url', 'must have at most 2048 characters'],
    [{ url: 'https://example.com', types: [] }, 'types', 'must name at least one type; null stands for all'],
    [
      { url: 'https://example.com', types: ['entry.made'] },
      'types',
      expect.stringContaining('must be one of entry.created'),
    ],
    [{ url: 'https://example.com', channels: ['Films!'] }, 'channels', '0: is not the id of a channel'],
    [{ url: 'https://example.com', audience: 'everybody' }, 'audience', expect.any(String)],
    [{ url: 'https://example.com', secret: 'whsec_mine' }, 'secret', expect.stringContaining('is not a member')],
  ])('a webhook with %j is refused', async (body, field, message) => {
    const { master } = await buildScene(app);
    const answer = await master.rest<{ errors: { field: string; message: string }[] }>('POST', '/webhooks', { body });
    expect([answer.status, answer.body.errors.map((error) => error.field)]).toEqual([422, [field]]);
    expect(answer.body.errors[0]?.message).toEqual(message);
  });

  test.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://[::1]',
    'https://169.254.169.254',
    'https://localhost',
  ])('a webhook with a private address is refused: %s', async (url) => {
    const { master } = await buildScene(closed);
    const answer = await master.rest<{ errors: object[] }>('POST', '/webhooks', { body: { url } });
    const error = {
      field: 'url',
      code: 'invalid',
      message: 'must not lead to a private or reserved address, unless the service has WEBHOOK_ALLOW_PRIVATE=on',
    };
    expect([answer.status, answer.body.errors]).toEqual([422, [error]]);
    const hook = await createHook(await buildScene(app), { url });
    expect(hook.id).toEqual(uuid);
  });

  test('a webhook with http is refused in production', async () => {
    const { master } = await buildScene(closed);
    const answer = await master.rest<{ errors: object[] }>('POST', '/webhooks', { body: { url: 'http://1.1.1.1' } });
    expect(answer.body.errors).toEqual([{ field: 'url', code: 'invalid', message: 'must begin with https://' }]);
  });

  test('the 101st webhook of a site is refused', async () => {
    const { master, db, site } = await buildScene(app);
    const elsewhere = await buildScene(app);
    const { id } = await createHook(elsewhere, { url: 'https://example.com' });
    const row = await db.webhook.findFirstOrThrow({
      where: { siteId: elsewhere.site.id, id },
      omit: { siteId: true, id: true },
    });
    const ids = Array.from({ length: 100 }, (_, index) => `0198b2c2-7a7a-7000-8000-${String(index).padStart(12, '0')}`);
    await db.webhook.createMany({ data: ids.map((each) => ({ ...row, enabled: false, id: each, siteId: site.id })) });
    expectProblem(await master.rest('POST', '/webhooks', { body: { url: 'https://example.com' } }), 'conflict');
  });
});

describe('secrets', () => {
  test('during the overlap of a new secret both sign, then the new one alone', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver();
    const hook = await createHook(scene, { url: receiver.url });
    const path = `/webhooks/${hook.id}`;
    const { body: next } = await scene.master.rest<Hook>('POST', `${path}/rotate-secret`, {
      body: { overlap_seconds: 60 },
    });
    expect(next).toMatchObject({ secret, old_secret_until: time });
    expect(next.secret).not.toBe(hook.secret);
    await scene.master.rest('POST', `${path}/test`);
    const { data } = await scene.master.gql<{ rotateWebhookSecret: Hook }>(
      `mutation { rotateWebhookSecret(id: "${hook.id}", overlapSeconds: 0) { id secret } }`,
    );
    await scene.master.rest('POST', `${path}/test`);
    const keys = [hook.secret, next.secret, data.rotateWebhookSecret.secret];
    const received = await receiver.wait(2);
    expect(received.map((message) => keys.map((key) => verifies(key, message)))).toEqual([
      [true, true, false],
      [false, false, true],
    ]);
    expect(received.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual([2, 1]);
    const refused = await scene.master.rest('POST', `${path}/rotate-secret`, { body: { overlap_seconds: 604_801 } });
    expect(refused.status).toBe(422);
  });
});

describe('what is sent because somebody asks', () => {
  test('a test message is sent at once and once, also by a disabled webhook', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver((_received, response) => void response.writeHead(418).end('no tea'));
    const hook = await createHook(scene, { url: receiver.url, enabled: false });
    const answer = await scene.master.rest<Delivery>('POST', `/webhooks/${hook.id}/test`);
    const outcome = {
      attempt: 1,
      status: 418,
      error: 'The receiver answered 418.',
      answer: 'no tea',
      next_attempt_at: null,
    };
    expect([answer.status, answer.body]).toEqual([
      200,
      { id: uuid, webhook: hook.id, at: time, milliseconds: expect.any(Number), change: null, ...outcome },
    ]);
    const [message] = receiver.received;
    expect(message?.body).toEqual({ type: 'webhook.test', timestamp: time, data: { change: null, entry: null } });
    expect(message && verifies(hook.secret, message)).toBe(true);
    expect(await log(scene, hook)).toEqual([answer.body]);
    const { data } = await scene.master.gql(
      `mutation { testWebhook(id: "${hook.id}") { webhook change { id } attempt status answer nextAttemptAt } }`,
    );
    const sent = { webhook: hook.id, change: null, attempt: 1, status: 418, answer: 'no tea', nextAttemptAt: null };
    expect(data).toEqual({ testWebhook: sent });
    // It says nothing about how changes are received.
    expect((await scene.master.rest('GET', `/webhooks/${hook.id}`)).body).toMatchObject({ failing_since: null });
  });

  test('a delivery is sent again with the same id', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver();
    const hook = await createHook(scene, { url: receiver.url });
    const id = await create(scene, { title: 'One' });
    const [logged] = await until(
      () => log(scene, hook),
      (list) => list.length === 1,
    );
    await scene.master.rest('PATCH', `/channels/articles/entries/${id}`, { body: { title: 'Two' } });
    await receiver.wait(2);
    const path = `/webhooks/${hook.id}/deliveries/${logged?.id}/redeliver`;
    const again = await scene.master.rest<Delivery>('POST', path);
    expect(again.body).toMatchObject({ attempt: 1, status: 204, change: logged?.change });
    const [first, , third] = await receiver.wait(3);
    expect(third?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(third?.body).toMatchObject({ type: 'entry.created', data: { entry: { title: 'Two' } } });
    const query = `mutation { redeliver(delivery: "${logged?.id}") { status change { type id entry { id titleFieldValue } } } }`;
    const { data } = await scene.master.gql(query);
    const change = { type: 'entry.created', id, entry: { id, titleFieldValue: 'Two' } };
    expect(data).toEqual({ redeliver: { status: 204, change } });
    await scene.master.rest('PATCH', `/webhooks/${hook.id}`, { body: { audience: 'public' } });
    expectProblem(await scene.master.rest('POST', path), 'conflict');
    const other = await createHook(scene, { url: receiver.url });
    const wrong = `/webhooks/${other.id}/deliveries/${logged?.id}/redeliver`;
    expectProblem(await scene.master.rest('POST', wrong), 'not_found');
  });

  test('a test message with an Idempotency-Key is sent once, after the answer', async () => {
    const scene = await buildScene(app);
    const receiver = await startReceiver();
    const hook = await createHook(scene, { url: receiver.url });
    const ask = () =>
      scene.master.rest<Delivery>('POST', `/webhooks/${hook.id}/test`, { headers: { 'Idempotency-Key': 'a' } });
    const first = await ask();
    expect(first.body).toMatchObject({ attempt: 1, status: null, milliseconds: null, next_attempt_at: time });
    expect((await ask()).body).toEqual(first.body);
    const [logged] = await until(
      () => log(scene, hook),
      (list) => list.length === 1,
    );
    expect(logged).toMatchObject({ id: first.body.id, status: 204 });
    expect(receiver.received).toHaveLength(1);
  });
});

test('the log of deliveries is read page by page, newest first', async () => {
  const scene = await buildScene(app);
  const receiver = await startReceiver();
  const hook = await createHook(scene, { url: receiver.url });
  for (let count = 0; count < 5; count += 1) await scene.master.rest('POST', `/webhooks/${hook.id}/test`);
  const all = (await log(scene, hook)).map(({ id }) => id);
  expect([...all].sort().reverse()).toEqual(all);
  const found: string[] = [];
  let path: string | null = `/webhooks/${hook.id}/deliveries?per_page=2`;
  while (path !== null) {
    const page: RestAnswer<Delivery[]> = await scene.master.rest<Delivery[]>('GET', path);
    found.push(...page.body.map(({ id }) => id));
    const cursor: string | null = page.headers.get('x-next-cursor');
    path = cursor && `/webhooks/${hook.id}/deliveries?per_page=2&cursor=${cursor}`;
  }
  expect(found).toEqual(all);
  const { data } = await scene.master.gql<{ webhookDeliveries: { totalCount: number; nodes: { id: string }[] } }>(
    `{ webhookDeliveries(webhook: "${hook.id}", first: 3) { totalCount nodes { id } pageInfo { hasNextPage } } }`,
  );
  expect(data.webhookDeliveries).toEqual({
    totalCount: 5,
    nodes: all.slice(0, 3).map((id) => ({ id })),
    pageInfo: { hasNextPage: true },
  });
});

test('public tokens manage no webhooks, and user tokens without a right are told that it is missing', async () => {
  const { visitor, db, site } = await buildScene(app);
  const { token } = await buildUser(db, { memberOf: [site.id] });
  const expectRefused = async (caller: Caller, method: string, path: string, body?: object): Promise<void> => {
    const answer = await caller.rest(method, path, body && { body });
    if (caller === visitor) expectProblem(answer, 'forbidden');
    else expect([answer.status, answer.body]).toMatchObject([403, { code: 'forbidden', missing: 'webhooks' }]);
  };
  for (const caller of [visitor, as(app, { token, site: site.id })]) {
    for (const path of ['/webhooks', '/webhooks/x', '/webhooks/x/deliveries']) {
      await expectRefused(caller, 'GET', path);
    }
    await expectRefused(caller, 'POST', '/webhooks', { url: 'https://example.com' });
    const { data, errors } = await caller.gql('{ webhooks { id } }');
    expect([data, errors?.[0]?.extensions.code]).toEqual([{ webhooks: null }, 'FORBIDDEN']);
  }
});
