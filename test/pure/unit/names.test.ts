// Look-ups of receivers' names (docs/contract.md §9.3), beside name servers that do not answer.
import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from '@jest/globals';
import { NameLookUps, parseHostsFile } from '../../../src/features/webhooks/delivery/names.ts';
import { closeNameServers, deny, isIpv4, readName, respond, startNameServer } from '../../support/nameServer.ts';

afterEach(closeNameServers);

const stopping = new AbortController().signal;

/** Is silent for the names below `silent`, and answers others for IPv4. */
const mixed = (query: Buffer): Buffer | null => {
  if (readName(query).startsWith('silent')) return null;
  return respond(query, isIpv4(query) ? [192, 0, 2, 7] : null);
};

test('60 silent names of one site delay neither other names nor files, and end at their deadline', async () => {
  const { server, asked } = await startNameServer(mixed);
  const names = new NameLookUps({ nameServers: [server], asksPlatform: true, stopping });
  let ended = 0;
  const silent = Array.from({ length: 60 }, (_, at) =>
    names
      .of('slow', 3_000)(`silent${at}.example`, { all: true })
      .catch((error: unknown) => error)
      .finally(() => (ended += 1)),
  );
  while (![...asked].some((name) => name.startsWith('silent'))) await new Promise(setImmediate);
  expect(await names.of('other', 3_000)('receiver.example', { all: true })).toEqual([
    { address: '192.0.2.7', family: 4 },
  ]);
  await readFile(import.meta.filename);
  expect(await names.of('other', 3_000)('localhost', { all: true })).not.toEqual([]);
  // None of the silent ones had ended before, and no more than four were asked for.
  expect(ended).toBe(0);
  expect([...asked].filter((name) => name.startsWith('silent')).length).toBeLessThanOrEqual(4);
  for (const error of await Promise.all(silent)) expect(error).toMatchObject({ code: 'ETIMEOUT' });
});

test('a look-up of a name ends at its deadline, before a silent server is given up', async () => {
  const { server, asked } = await startNameServer(() => null);
  const names = new NameLookUps({ nameServers: [server], asksPlatform: false, stopping });
  const ended: string[] = [];
  const look = (site: string, deadline: number): Promise<unknown> =>
    names
      .of(site, deadline)(`${site}.example`, { all: true })
      .catch(() => ended.push(site));
  const patient = look('patient', 60_000);
  while (asked.size === 0) await new Promise(setImmediate);
  await look('short', 1);
  expect(ended).toEqual(['short']);
  await patient;
});

test('look-ups of names end when the process stops', async () => {
  const { server, asked } = await startNameServer(() => null);
  const stop = new AbortController();
  const names = new NameLookUps({ nameServers: [server], asksPlatform: false, stopping: stop.signal });
  const looking = names.of('a', 600_000)('silent.example', { all: true });
  while (asked.size === 0) await new Promise(setImmediate);
  stop.abort();
  await expect(looking).rejects.toMatchObject({ code: 'ECANCELLED' });
});

test('the addresses of one family are returned although no server answers for the other', async () => {
  const { server } = await startNameServer((query) => (isIpv4(query) ? respond(query, [192, 0, 2, 7]) : null));
  const names = new NameLookUps({ nameServers: [server], asksPlatform: false, stopping });
  expect(await names.of('a', 60_000)('receiver.example', { all: true })).toEqual([{ address: '192.0.2.7', family: 4 }]);
});

test('an unknown name has an error with a code; the platform’s resolver is used only if allowed', async () => {
  const { server } = await startNameServer(deny);
  const nameServers = [server];
  const closed = new NameLookUps({ nameServers, asksPlatform: false, stopping });
  await expect(closed.of('a', 60_000)('nowhere.invalid', { all: true })).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('names of the hosts file and of this machine are not sent to name servers', async () => {
  const { server, asked } = await startNameServer(() => null);
  const names = new NameLookUps({ nameServers: [server], asksPlatform: false, stopping }).of('a', 60_000);
  const options = { all: true } as const;
  expect((await names('LOCALHOST.', options)).map(({ address }) => address)).toContain('127.0.0.1');
  expect(await names('shop.localhost', options)).toEqual([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
  expect(await names('192.0.2.1', options)).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(asked.size).toBe(0);
  const text =
    '# 192.0.2.9 no\n127.0.0.1 localhost\n192.0.2.1\tHooks.example hooks # a note\n::2 hooks.example\nodd hooks\n';
  expect(Object.fromEntries(parseHostsFile(text))).toEqual({
    localhost: ['127.0.0.1'],
    'hooks.example': ['192.0.2.1', '::2'],
    hooks: ['192.0.2.1'],
  });
});

test('look-ups of names leave no listener on the signal that stops them', async () => {
  const { server } = await startNameServer((query) => respond(query, isIpv4(query) ? [192, 0, 2, 7] : null));
  const stop = new AbortController();
  const names = new NameLookUps({ nameServers: [server], asksPlatform: false, stopping: stop.signal }).of('a', 60_000);
  await Promise.all([1, 2, 3].map((at) => names(`r${at}.example`, { all: true })));
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  // Where Node keeps the signals that depend on it.
  const kept = Reflect.ownKeys(stop.signal).map((key) => stop.signal[key as never] as { size?: number } | undefined);
  expect(kept.filter((each) => (each?.size ?? 0) > 0)).toEqual([]);
});

test('a look-up that waits for a slot of its site ends at its deadline, before those that hold the slots', async () => {
  const { server, asked } = await startNameServer(() => null);
  const stop = new AbortController();
  const names = new NameLookUps({ nameServers: [server], asksPlatform: false, stopping: stop.signal });
  const look = (name: string, deadline: number): Promise<unknown> =>
    names
      .of('a', deadline)(name, { all: true })
      .catch((error: unknown) => error);
  const first = ['b', 'c', 'd', 'e'].map((name) => look(`${name}.example`, 600_000));
  while (asked.size < 4) await new Promise(setImmediate);
  expect(await look('f.example', 1)).toMatchObject({ code: 'ETIMEOUT' });
  expect(asked.size).toBe(4);
  stop.abort();
  for (const error of await Promise.all(first)) expect(error).toMatchObject({ code: 'ECANCELLED' });
});
