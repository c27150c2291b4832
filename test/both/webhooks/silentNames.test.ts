// Receivers whose name server does not answer (docs/contract.md §9.3): their site waits for them, and no other one.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { usualSettings } from '../../../src/delivery/settings.ts';
import { closeNameServers, isIpv4, readName, respond, startNameServer } from '../../support/nameServer.ts';
import { startReceiver } from '../../support/receiver.ts';
import { buildScene, type Scene } from '../../support/scene.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { create, createHook, hurry, log, typesOf, until } from '../../support/webhooks.ts';

let app: TestApp;
const servers = { areSilent: true };

beforeAll(async () => {
  const { server } = await startNameServer((query) => {
    if (servers.areSilent && readName(query).startsWith('silent')) return null;
    return respond(query, isIpv4(query) ? [127, 0, 0, 1] : null);
  });
  jest.replaceProperty(usualSettings, 'nameServers', [server]);
  app = await startApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });
});

afterAll(async () => {
  await app.close();
  closeNameServers();
  jest.restoreAllMocks();
});

/** The URL of a receiver, by a name. */
const named = (name: string, url: string): string => url.replace('127.0.0.1', name);

/** How many messages of a site's webhooks have ended. */
const countEnded = ({ db, site }: Scene): Promise<number> => db.webhookDelivery.count({ where: { siteId: site.id } });

test('60 silent names of one site: the message of another one, by a name, comes while they are looked up', async () => {
  const [slow, other] = [await buildScene(app), await buildScene(app)];
  const receiver = await startReceiver();
  for (let at = 0; at < 60; at += 1) await createHook(slow, { url: `http://silent${at}.example/` });
  await createHook(other, { url: named('receiver.example', receiver.url) });
  await createHook(other, { url: named('localhost', receiver.url) });
  // Six for each webhook are more than a process sends of all sites.
  for (let at = 0; at < 6; at += 1) await create(slow, { title: `Entry ${at}` });
  await create(other, { title: 'One' });
  expect(typesOf(await receiver.wait(2))).toEqual(['entry.created', 'entry.created']);
  const ended = await countEnded(slow);
  expect(ended).toBeLessThan(60);
  const failed = await until(
    () => slow.db.webhookDelivery.findFirst({ where: { siteId: slow.site.id } }),
    (found) => found !== null,
  );
  expect(failed).toMatchObject({ status: null, error: 'The connection failed: ETIMEOUT.' });
});

test('a site whose names are silent gets the changes of an entry in their order once they are not', async () => {
  const scene = await buildScene(app);
  const receiver = await startReceiver();
  const hook = await createHook(scene, { url: named('silent.example', receiver.url) });
  const id = await create(scene, { title: 'One' });
  await scene.master.rest('PATCH', `/channels/articles/entries/${id}`, { body: { title: 'Two' } });
  await scene.master.rest('DELETE', `/channels/articles/entries/${id}`);
  await until(
    () => log(scene, hook),
    (list) => list.length > 0,
  );
  expect(receiver.received).toEqual([]);
  servers.areSilent = false;
  await hurry(scene);
  await until(
    async () => {
      await hurry(scene);
      return receiver.received.length;
    },
    (count) => count >= 3,
  );
  expect(typesOf(receiver.received)).toEqual(['entry.created', 'entry.updated', 'entry.deleted']);
});
