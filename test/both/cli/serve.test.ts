// `entryway serve` as a process: how it starts, where it can't, and how it ends.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { databaseKind } from '../../support/db.ts';
import { serve, type ServiceProcess } from '../../support/process.ts';
import { newWorkplace, type Workplace } from '../../support/workplace.ts';

let place: Workplace;

beforeAll(async () => {
  place = await newWorkplace();
});
afterAll(() => place.remove());

describe('starts', () => {
  test('with --json on a database without tables: applies the migrations, prints one document', async () => {
    const service = await serve(place.environment);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(service.log()).toContain('migrations applied');
    const { url: _, child: _child, log: _log, stop, database: _in, ...created } = service;
    // On a server nothing is created unasked.
    expect(Object.keys(created)).toEqual(databaseKind === 'embedded' ? ['site', 'tokens'] : []);
    expect(await stop()).toBe(0);
    const { sites } = await place.json<{ sites: unknown[] }>('site list');
    expect(sites).toHaveLength(databaseKind === 'embedded' ? 1 : 0);
  });

  test('quickly where nothing is to be done', async () => {
    const from = performance.now();
    const service = await serve(place.environment);
    // 2 seconds on a machine of its own; the tests share theirs.
    expect(performance.now() - from).toBeLessThan(8_000);
    expect(await service.stop()).toBe(0);
  });
});

describe('refused', () => {
  test('where the port is taken: one line, and the database is let go', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const PORT = String((squatter.address() as AddressInfo).port);
    const message = await place.refusal('serve', { PORT, LOG_LEVEL: 'warn' });
    expect(message).toMatch(new RegExp(`Port ${PORT} of 127\\.0\\.0\\.1 is taken: .*set PORT`));
    squatter.close();
    await place.json('site list');
  });

  test('where the address is not this machine’s', async () => {
    expect(await place.refusal('serve', { HOST: '192.0.2.1' })).toMatch(/Can't listen .*EADDRNOTAVAIL.*HOST/);
    expect(await place.refusal('serve', { HOST: 'no.such.host.invalid' })).toMatch(/no\.such\.host\.invalid.*HOST/);
  });
});

describe('ends', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s, with 0, soon; an echo of the signal changes nothing',
    async (signal) => {
      const { child } = await serve(place.environment);
      const from = performance.now();
      child.kill(signal);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(performance.now() - from).toBeLessThan(5_000);
    },
  );

  test('with 0 within 10 seconds, although a request never ends', async () => {
    const service = await serve(place.environment);
    const socket = await endlessRequest(service);
    const from = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - from).toBeLessThan(10_000);
    socket.destroy();
  });

  test('at once on a second signal', async () => {
    const service = await serve(place.environment);
    const socket = await endlessRequest(service);
    service.child.kill('SIGTERM');
    await sleep(1_500);
    expect(service.child.exitCode).toBeNull();
    const from = performance.now();
    expect(await service.stop()).toBe(143);
    expect(performance.now() - from).toBeLessThan(3_000);
    socket.destroy();
  });
});

/** A request whose body does not come. */
async function endlessRequest({ url }: ServiceProcess): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
  // The service answers 401 without reading on, and keeps the connection for the body.
  await sleep(300);
  return socket;
}
