// Bodies that are announced and do not come: they hold what their headers announce, until others need the room.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildChannel, type TestSite } from '../../support/build.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { endServed, serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;
beforeAll(async () => {
  ({ place, site, service } = await serveSite(
    async (prisma, siteId) => {
      await buildChannel(prisma, siteId, { id: 'articles', createScope: 'public' });
    },
    { TRUST_PROXY: '1', RATE_LIMIT: 'off', REQUEST_TIMEOUT: '60000' },
  ));
});
afterAll(() => endServed({ place, service }));

/** Announces a body of 1 MiB from an address, sends its beginning, and gathers what is answered. */
async function announce(address: string): Promise<{ socket: Socket; read: () => string }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(
    `POST /channels/articles/entries HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${site.public}\r\nContent-Length: 1048576\r\n\r\n{`,
  );
  return { socket, read: () => answer };
}

const create = () => as(service, { token: site.public }).rest('POST', '/channels/articles/entries', { body: {} });

test('slow bodies of four addresses do not keep others from sending theirs', async () => {
  const first = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].flatMap((address) => Array<string>(8).fill(address));
  const slow = await Promise.all(first.map(announce));
  expect((await create()).status).toBe(201);
  slow.push(...(await Promise.all(Array<string>(8).fill('10.0.0.4').map(announce))));
  // Until the service has read what the last ones announce, there is room.
  let answers: string[] = [];
  while (answers.length === 0) {
    expect((await create()).status).toBe(201);
    answers = slow.map(({ read }) => read()).filter((answer) => answer !== '');
  }
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  for (const { socket } of slow) socket.destroy();
});
