// Receivers whose name server does not answer (docs/contract.md §9.3): their site waits for them, and no other one.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { usualSettings } from '../../../src/features/webhooks/delivery/settings.ts';
import { closeNameServers, isIpv4, readName, respond, startNameServer } from '../../support/nameServer.ts';
import { startReceiver } from '../../support/receiver.ts';
import { buildScene, type Scene } from '../../support/scene.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { create, createHook, hurry, log, typesOf, until } from '../../support/webhooks.ts';

const servers = { areSilent: true };
const settings: { nameServers: readonly string[] | undefined; maxLookUp: number; maxAnswering: number } = usualSettings;
const usual = { ...settings };
let app: TestApp | undefined;

beforeAll(async () => {
  const { server } = await startNameServer((query) => {
    if (servers.areSilent && readName(query).startsWith('silent')) return null;
    return respond(query, isIpv4(query) ? [127, 0, 0, 1] : null);
  });
  settings.nameServers = [server];
});

afterEach(() => app?.close());

afterAll(() => {
  closeNameServers();
  Object.assign(settings, usual);
});

async function start(): Promise<TestApp> {
  return (app = await startApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' }));
}

/** The URL of a receiver, by a name. */
const named = (name: string, url: string): string => url.replace('127.0.0.1', name);

/** How many messages of a site's webhooks have ended. */
const countEnded = ({ db, site }: Scene): Promise<number> => db.webhookDelivery.count({ where: { siteId: site.id } });

test('60 names of one site without an answer of DNS do not delay the message of another site', async () => {
  // None of them ends before the test does, however busy the machine is.
  Object.assign(settings, { maxLookUp: 600_000, maxAnswering: 600_000 });
  const service = await start();
  const [slow, other] = [await buildScene(service), await buildScene(service)];
  const receiver = await startReceiver();
  for (let at = 0; at < 60; at += 1) await createHook(slow, { url: `http://silent${at}.example/` });
  await createHook(other, { url: named('receiver.example', receiver.url) });
  await createHook(other, { url: named('localhost', receiver.url) });
  // Six for each webhook are more than a process sends of all sites.
  for (let at = 0; at < 6; at += 1) await create(slow, { title: `Entry ${at}` });
  await create(other, { title: 'One' });
  expect(typesOf(await receiver.wait(2))).toEqual(['entry.created', 'entry.created']);
  expect(await countEnded(slow)).toBe(0);
});

test('a site whose names had no answer of DNS gets the changes of an entry in order once they have', async () => {
  Object.assign(settings, { maxLookUp: usual.maxLookUp, maxAnswering: usual.maxAnswering });
  const scene = await buildScene(await start());
  const receiver = await startReceiver();
  const hook = await createHook(scene, { url: named('silent.example', receiver.url) });
  const id = await create(scene, { title: 'One' });
  await scene.master.rest('PATCH', `/channels/articles/entries/${id}`, { body: { title: 'Two' } });
  await scene.master.rest('DELETE', `/channels/articles/entries/${id}`);
  const [failed] = await until(
    () => log(scene, hook),
    (list) => list.length > 0,
  );
  expect(failed).toMatchObject({ status: null, error: 'The connection failed: ETIMEOUT.' });
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
