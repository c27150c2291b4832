// Every connection of the pool is taken: requests that need one get 503 in time, and others are answered at once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { as, send } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import { testDatabaseUrl, type ServerDatabase, openPlain } from '../support/db.ts';
import { expectProblem } from '../support/expect.ts';
import { serve, type ServiceProcess } from '../support/process.ts';

const entries = '/channels/articles/entries';

let copy: ServerDatabase;
let service: ServiceProcess;
let site: TestSite;
let other: pg.Client;
beforeAll(async () => {
  copy = await testDatabaseUrl();
  const database = await openPlain({ databaseUrl: copy.url, databasePool: 1, dataDir: '' });
  site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await database.close();
  service = await serve({ DATABASE_URL: copy.url, DATABASE_POOL: '2' });
  other = new pg.Client(copy.url);
  await other.connect();
});
afterAll(async () => {
  await other.end();
  expect(await service.stop()).toBe(0);
  await copy.drop();
});

test('reads without a free connection get 503, and requests that need none are answered before them', async () => {
  const caller = as(service, { token: site.public });
  // From here on the caller and the channel are known.
  expect((await caller.rest('GET', entries)).status).toBe(200);
  await other.query('BEGIN');
  await other.query('LOCK TABLE entries IN ACCESS EXCLUSIVE MODE -- test: holds up every read');
  let answered = 0;
  const reads = Array.from({ length: 8 }, async () => {
    const answer = await caller.rest('GET', entries);
    answered += 1;
    return answer;
  });
  const authorization = { Authorization: `Bearer ${site.public}` };
  const json = { ...authorization, 'Content-Type': 'application/json' };
  const refusals: [status: number, answer: Promise<{ status: number }>][] = [
    [400, send(service, 'POST', entries, { headers: json, body: '{' })],
    [400, send(service, 'GET', `${entries}?_colour=red`, { headers: authorization })],
    [400, send(service, 'GET', `${entries}/%00`, { headers: authorization })],
    [401, send(service, 'GET', entries)],
    [401, send(service, 'GET', entries, { headers: { Authorization: 'Bearer ew_public_mistyped' } })],
    [403, send(service, 'GET', entries, { headers: { ...authorization, 'X-Service-Site': 'another' } })],
    [403, send(service, 'POST', entries, { headers: json, body: '{}' })],
    [404, send(service, 'GET', '/nowhere', { headers: authorization })],
    [404, send(service, 'GET', `${entries}/Not-A-Name`, { headers: authorization })],
    [405, send(service, 'PUT', entries, { headers: json, body: '{}' })],
    [414, send(service, 'GET', `${entries}?sort=${'x'.repeat(9_000)}`, { headers: authorization })],
    [415, send(service, 'POST', entries, { headers: authorization, body: '{}' })],
    [204, send(service, 'OPTIONS', entries)],
    [400, send(service, 'POST', '/graphql', { headers: json, body: '{"query": "{ nothing }"}' })],
    [400, send(service, 'POST', '/graphql', { headers: json, body: '{"query": "{"}' })],
    [
      400,
      send(service, 'POST', '/graphql', {
        headers: json,
        body: JSON.stringify({ query: `{ ${'a: channels { id } '.repeat(60)} }` }),
      }),
    ],
    [200, send(service, 'GET', '/livez')],
  ];
  const statuses = await Promise.all(refusals.map(async ([, answer]) => (await answer).status));
  expect(statuses).toEqual(refusals.map(([status]) => status));
  expect(answered).toBe(0);
  for (const answer of await Promise.all(reads)) {
    expectProblem(answer, 'unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  await other.query('COMMIT');
  expect((await caller.rest('GET', entries)).status).toBe(200);
});
