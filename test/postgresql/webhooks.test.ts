// Two processes that share the events of webhooks (docs/contract.md §9.3): in normal operation no event is sent twice,
// and events that a killed process held are sent by the other one.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { deleteOldDeliveries } from '../../src/features/webhooks/queue.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildSite, buildWebhook } from '../support/build.ts';
import { openPlain, testDatabaseUrl } from '../support/db.ts';
import { serve, type ServiceProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

let databaseUrl: string;
let drop: () => Promise<void>;
let database: PlainDatabase;
let one: ServiceProcess;
let other: ServiceProcess;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await testDatabaseUrl());
  database = await openPlain({ databaseUrl, databasePool: 2, dataDir: '' });
  const environment = { DATABASE_URL: databaseUrl, WEBHOOK_ALLOW_PRIVATE: 'on', RATE_LIMIT: 'off' };
  [one, other] = await Promise.all([serve(environment), serve(environment)]);
});
afterAll(async () => {
  await other.stop();
  await database.close();
  await drop();
});

test('two processes send each change to a webhook once, in the order of its entry, and at least once when one is killed', async () => {
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  const [first, second] = [as(one, { token: site.master }), as(other, { token: site.master })];
  const receiver = await startReceiver();
  expect((await first.rest('POST', '/webhooks', { body: { url: receiver.url } })).status).toBe(201);
  const write = async (caller: typeof first, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const { body } = await caller.rest<{ id: string }>('POST', '/channels/articles/entries', {
        body: { title: 'a' },
      });
      await caller.rest('PATCH', `/channels/articles/entries/${body.id}`, { body: { title: 'b' } });
      ids.push(body.id);
    }
    return ids;
  };
  const ids = (await Promise.all([write(first, 25), write(second, 25)])).flat();
  await receiver.wait(100);
  // Whatever would come twice comes within the time that an event is looked for.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const sent = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([sent.length, new Set(sent).size]).toEqual([100, 100]);
  for (const id of ids) {
    const versions = receiver.received.filter(({ body }) => body.data.change?.id === id);
    expect(versions.map(({ body }) => body.data.change?.version)).toEqual([1, 2]);
  }
  // One hangs, and its process is killed meanwhile.
  receiver.answer(() => undefined);
  await write(first, 2);
  await receiver.wait(101);
  const ended = once(one.child, 'exit');
  one.child.kill('SIGKILL');
  await ended;
  receiver.answer((_received, response) => void response.writeHead(204).end());
  const held = { siteId: site.id, holder: { not: null } };
  await database.prisma.webhookEvent.updateMany({ where: held, data: { heldUntil: new Date(0) } });
  const later = await write(second, 5);
  const changes = (): number => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
  for (;;) {
    const left = await database.prisma.webhookEvent.count({ where: { siteId: site.id } });
    await database.prisma.webhookEvent.updateMany({
      where: { siteId: site.id, holder: null },
      data: { dueAt: new Date(0) },
    });
    // The last changes may not be queued yet.
    if (left === 0 && changes() >= 100 + 4 + 10) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(changes()).toBe(100 + 4 + 10);
  expect(later).toHaveLength(5);
});

test('an old delivery that another transaction has locked does not delay the deletion of others, and is deleted later', async () => {
  const { prisma } = database;
  const site = await buildSite(prisma);
  const built = [await buildWebhook(prisma, site.id), await buildWebhook(prisma, site.id)];
  const sweep = (): Promise<number> => deleteOldDeliveries(prisma, [site.id], new Date(Date.now() + 60_000), 500);
  const locked = built[0]?.deliveryId;
  const left = await database.session(async ({ exec, query }) => {
    await exec('BEGIN');
    await query('SELECT 1 FROM webhook_deliveries WHERE site_id = $1 AND id = $2::uuid FOR UPDATE', [site.id, locked]);
    expect(await sweep()).toBe(1);
    const found = await prisma.webhookDelivery.findMany({ where: { siteId: site.id } });
    await exec('ROLLBACK');
    return found.map(({ id }) => id);
  });
  expect(left).toEqual([locked]);
  expect(await sweep()).toBe(1);
});
