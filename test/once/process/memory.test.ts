// The process keeps within a heap of 512 MB, whatever anonymous callers send at the same time.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import { aliases, costlyDocument } from '../../support/costlyRequests.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { endServed, serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;

beforeAll(async () => {
  const NODE_OPTIONS = '--max-old-space-size=512';
  ({ place, site, service } = await serveSite(
    async (prisma, siteId) => {
      const open = { createScope: 'public', updateScope: 'public' } as const;
      const big = await buildChannel(prisma, siteId, { id: 'big', ...open });
      for (let at = 0; at < 60; at += 1) {
        await buildEntry(prisma, big, { slug: `big-${at}`, data: { body: 'x'.repeat(1_000_000) } });
      }
      const small = await buildChannel(prisma, siteId, { id: 'small' });
      const ids: string[] = [];
      for (let at = 0; at < 500; at += 1) {
        ids.push((await buildEntry(prisma, small, { data: { title: `${at} ${'\u{1F600}'.repeat(900)}` } })).id);
      }
      const many = await buildChannel(prisma, siteId, {
        id: 'many',
        fields: [{ name: 'r', type: 'references', channel: 'small' }],
      });
      for (let at = 0; at < 100; at += 1) await buildEntry(prisma, many, { data: { r: ids } });
      const options = Array.from({ length: 900 }, (_, at) => `${at}`.padEnd(250, 'x'));
      for (let at = 0; at < 100; at += 1) {
        await buildChannel(prisma, siteId, { id: `c${at}`, fields: [{ name: 'kind', type: 'select', options }] });
      }
    },
    { NODE_OPTIONS, RATE_LIMIT: 'off', TRUST_PROXY: '1' },
  ));
}, 300_000);

afterAll(() => endServed({ place, service }));

/** Opens a connection, and sends a text on it. */
async function open(text: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

const references = 'references(field: "r", first: 1) { totalCount }';
const documents: [string, string][] = [
  ['channels', '{ channels { id } }'],
  ['definitions of channels', `{ channels { ${aliases('fields { options }')} } }`],
  ['large fields', `{ entries(channel: "big", first: 15) { nodes { ${aliases('fields')} } } }`],
  ['references', `{ entries(channel: "many", first: 30) { nodes { ${aliases(references)} } } }`],
  ['stubs', '{ entries(channel: "many", first: 250) { nodes { fields } } }'],
  ['titles', `{ entries(channel: "small", first: 250) { nodes { ${aliases('titleFieldValue')} } } }`],
  ['lists', `{ ${aliases('entries(channel: "small", first: 250) { nodes { fields titleFieldValue } }', 25)} }`],
];

/** Sends a request often at the same time. @returns the statuses of the answers */
async function sendOften(times: number, send: () => Promise<{ status: number }>): Promise<Set<number>> {
  const answers = await Promise.all(Array.from({ length: times }, send));
  return new Set(answers.map(({ status }) => status));
}

async function expectAlive(): Promise<void> {
  expect(service.child.exitCode).toBeNull();
  expect((await as(service).rest('GET', '/livez')).status).toBe(200);
}

test.each(documents)(
  'memory stays bounded with documents that select much: %s',
  async (_what, query) => {
    const visitor = as(service, { token: site.public });
    const send = async (): Promise<{ status: number }> => visitor.gql(query);
    for (const status of await sendOften(6, send)) expect([200, 503]).toContain(status);
    await expectAlive();
  },
  600_000,
);

test('memory stays bounded with lists of large entries, embedded ones included', async () => {
  const visitor = as(service, { token: site.public });
  for (const path of ['big/entries?per_page=250', 'big/entries?per_page=12', 'many/entries?per_page=100&include=r']) {
    const statuses = await sendOften(10, () => visitor.rest('GET', `/channels/${path}`));
    for (const status of statuses) expect([200, 400, 503]).toContain(status);
    await expectAlive();
  }
});

test('memory stays bounded with bodies of 1 MiB, complete and unfinished', async () => {
  const visitor = as(service, { token: site.public });
  const headers = 'POST /channels/big/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const begun = `${headers}Authorization: Bearer ${site.public}\r\nContent-Length: 1000000\r\n\r\n${'"'.padEnd(900_000, 'x')}`;
  const unfinished = await Promise.all(Array.from({ length: 200 }, () => open(begun)));
  const values = Array.from({ length: 49_000 }, (_, at) => `value ${at}`);
  const statuses = await sendOften(24, () => visitor.rest('POST', '/channels/big/entries', { body: { values } }));
  for (const status of statuses) expect([201, 503]).toContain(status);
  for (const socket of unfinished) socket.destroy();
  await expectAlive();
  const updates = Array.from({ length: 500 }, (_, at) => ({ op: 'update', id: `big-${at % 60}`, data: { at } }));
  const bulk = await sendOften(4, () =>
    visitor.rest('POST', '/channels/big/entries/bulk', { body: { operations: updates } }),
  );
  for (const status of bulk) expect([200, 503]).toContain(status);
  await expectAlive();
});

const tooMuch: [string, string][] = [
  ['nested arrays', '['.repeat(1_000_000)],
  ['empty arrays', `{"a":[${'[],'.repeat(340_000)}[]]}`],
  ['empty objects', `{"a":[${'{},'.repeat(340_000)}{}]}`],
];
const justEnough: [string, string][] = [
  ['nested arrays', `{"a":[${`${'['.repeat(98)}${']'.repeat(98)},`.repeat(505)}1]}`],
  ['empty objects', `{"a":[${'{},'.repeat(49_990)}1]}`],
  ['objects of other names', `{"a":[${Array.from({ length: 24_990 }, (_, at) => `{"k${at}":0}`).join()}]}`],
];

/** Sends a body on 50 connections, each some times, from one address or from as many as there are connections. */
async function sendBodies(path: string, body: string, times: number, addresses: 1 | 50): Promise<Set<number>> {
  const visitor = as(service, { token: site.public });
  const statuses = Array.from({ length: 50 }, async (_, at) => {
    const headers = { 'X-Forwarded-For': `10.0.0.${at % addresses}` };
    const seen: number[] = [];
    for (let time = 0; time < times; time += 1) {
      seen.push((await visitor.rest('POST', path, { body, headers })).status);
    }
    return seen;
  });
  return new Set((await Promise.all(statuses)).flat());
}

test.each(tooMuch)(
  'memory stays bounded with 50 connections that send a megabyte of %s: each gets 400 or 503',
  async (_what, body) => {
    const variables = `{"query":"{ channels { id } }","variables":{"a":${body.startsWith('{') ? body : `{"a":${body}`}}}`;
    for (const addresses of [1, 50] as const) {
      for (const [path, sent] of [
        ['/channels/small/entries', body],
        ['/channels/small/entries/bulk', `{"operations":${body}`],
        ['/graphql', variables],
      ] as const) {
        const statuses = await sendBodies(path, sent, 3, addresses);
        expect(statuses).toContain(400);
        for (const status of statuses) expect([400, 503]).toContain(status);
        await expectAlive();
      }
    }
  },
  600_000,
);

test.each(justEnough)(
  'memory stays bounded with 50 addresses that send as many %s as are allowed: each gets 201 or 503',
  async (_what, body) => {
    const statuses = await sendBodies('/channels/big/entries', body, 2, 50);
    expect(statuses).toContain(201);
    for (const status of statuses) expect([201, 503]).toContain(status);
    await expectAlive();
  },
  600_000,
);

test('random documents get no answer that is much larger than ANSWER_LIMIT', async () => {
  const visitor = as(service, { token: site.public });
  let largest = 0;
  const send = async (query: string): Promise<void> => {
    const answer = await visitor.gql(query);
    expect([200, 400, 503]).toContain(answer.status);
    largest = Math.max(largest, JSON.stringify(answer).length);
    expect(service.child.exitCode).toBeNull();
  };
  // What is made at random may all be refused, or small: the first document has an answer of some megabytes.
  const large = '{ entries(channel: "small", first: 250) { nodes { titleFieldValue fields } } }';
  await fc.assert(fc.asyncProperty(costlyDocument, send), { numRuns: 60, examples: [[large]] });
  await expectAlive();
  // The limit holds: an answer adds the names of its members to what is counted.
  expect(largest).toBeGreaterThan(100_000);
  expect(largest).toBeLessThan(2 * 16_777_216);
}, 300_000);

test('requests of clients that have gone release their memory', async () => {
  const request = `GET /channels/small/entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${site.public}\r\n\r\n`;
  // More than a share, one behind the other on one connection.
  const socket = await open(request.repeat(200));
  await once(socket, 'data');
  socket.resetAndDestroy();
  const visitor = as(service, { token: site.public });
  const statuses = await sendOften(60, () => visitor.rest('GET', '/channels/small/entries?per_page=1'));
  expect([...statuses]).toEqual([200]);
});

test('memory stays bounded with answers that their clients do not read', async () => {
  const list = 'GET /channels/big/entries?per_page=10 HTTP/1.1\r\nHost: x\r\n';
  const sockets = await Promise.all(
    Array.from({ length: 40 }, async () => (await open(`${list}Authorization: Bearer ${site.public}\r\n\r\n`)).pause()),
  );
  const visitor = as(service, { token: site.public });
  for (let at = 0; at < 20; at += 1) {
    const { status } = await visitor.rest('GET', '/channels/big/entries?per_page=10');
    expect([200, 503]).toContain(status);
  }
  for (const socket of sockets) socket.destroy();
  await expectAlive();
});
