// `entryway serve` as a process: how it starts, where it can't, and how it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { databaseKind } from '../../support/db.ts';
import { main, serve, start, type ServiceProcess } from '../../support/process.ts';
import { newWorkplace, type Workplace } from '../../support/workplace.ts';

let place: Workplace;

beforeAll(async () => {
  place = await newWorkplace();
});
afterAll(() => place.remove());

describe('starts', () => {
  test('`entryway serve --json` on a database without tables applies the migrations, and prints one document', async () => {
    const service = await serve(place.environment);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(service.log()).toContain('migrations applied');
    const { url: _, child: _child, log: _log, stop, database: _in, ...created } = service;
    // On a server nothing is created unasked.
    expect(Object.keys(created)).toEqual(databaseKind === 'embedded' ? ['site', 'tokens', 'link'] : []);
    expect(await stop()).toBe(0);
    const sites = await place.json<unknown[]>('site list');
    expect(sites).toHaveLength(databaseKind === 'embedded' ? 1 : 0);
  });

  test('`entryway serve` listens on the port and address of its options, whatever the variables say', async () => {
    const child = start(['serve', '--json', '--port', '0', '--host', '127.0.0.2'], { ...place.environment, PORT: '1' });
    const [document] = (await once(child.stdout, 'data')) as [Buffer];
    expect((JSON.parse(document.toString()) as { url: string }).url).toMatch(/^http:\/\/127\.0\.0\.2:\d{2,}$/);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('refused', () => {
  test('`entryway serve` on a taken port is refused in one line, and releases the database', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const PORT = String((squatter.address() as AddressInfo).port);
    const message = await place.refusal('serve', { PORT, LOG_LEVEL: 'warn' });
    expect(message).toMatch(new RegExp(`Port ${PORT} of 127\\.0\\.0\\.1 is taken: .*set PORT`));
    squatter.close();
    await place.json('site list');
  });

  test('`entryway serve` on an address of another machine is refused', async () => {
    expect(await place.refusal('serve', { HOST: '192.0.2.1' })).toMatch(/Can't listen .*EADDRNOTAVAIL.*HOST/);
    expect(await place.refusal('serve', { HOST: 'no.such.host.invalid' })).toMatch(/no\.such\.host\.invalid.*HOST/);
  });
});

describe('ends', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '`entryway serve` ends on %s with 0, by itself; an echo of the signal changes nothing',
    async (signal) => {
      const { child, log } = await serve(place.environment);
      child.kill(signal);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(log()).toContain(`"signal":"${signal}"`);
    },
  );

  test('`entryway serve` ends when the shell is gone in which npm started it', async () => {
    const node = `"${process.execPath}" "${main}" serve --json`;
    const environment = { ...place.environment, PORT: '0', npm_lifecycle_event: 'npx' };
    // The shell waits for its child, as npm's does.
    const shell = spawn('sh', ['-c', `${node}; true`], { env: { ...process.env, ...environment }, cwd: dirname(main) });
    const [document] = (await once(shell.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(document.toString()) as { url: string };
    const closed = once(shell.stdout, 'close');
    shell.kill('SIGTERM');
    // The service holds standard output until it ends.
    await closed;
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  test('`entryway serve` ends with 0, although a request never ends', async () => {
    const service = await serve(place.environment);
    const socket = await endlessRequest(service);
    expect(await service.stop()).toBe(0);
    socket.destroy();
  });

  test('`entryway serve` ends at once on a second signal', async () => {
    const service = await serve(place.environment);
    const socket = await endlessRequest(service);
    service.child.kill('SIGTERM');
    await sleep(1_500);
    expect(service.child.exitCode).toBeNull();
    expect(await service.stop()).toBe(143);
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
