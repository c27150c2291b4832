// A process that is stopped while requests wait for changes (docs/contract.md §9.2): all of them end within the drain,
// and their clients go on at another process from their cursors.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import type { PlainDatabase } from '../../src/database/database.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import { openPlain, testDatabaseUrl } from '../support/db.ts';
import { openEvents, type StreamEvent } from '../support/eventStream.ts';
import { expectEntry } from '../support/expect.ts';
import { serve, type ServiceProcess } from '../support/process.ts';

let drop: () => Promise<void>;
let database: PlainDatabase;
let one: ServiceProcess;
let other: ServiceProcess;
let site: TestSite;

beforeAll(async () => {
  const { url: databaseUrl, drop: dropAll } = await testDatabaseUrl();
  drop = dropAll;
  database = await openPlain({ databaseUrl, databasePool: 2, dataDir: '' });
  site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  // One more request than are to wait would be refused: so the test knows that all of them do.
  const environment = { DATABASE_URL: databaseUrl, STREAMS_PER_TOKEN: '3' };
  [one, other] = await Promise.all([serve(environment), serve(environment)]);
});
afterAll(async () => {
  expect(await other.stop()).toBe(0);
  await database.close();
  await drop();
});

async function create(caller: Caller, title: string): Promise<string> {
  return expectEntry(await caller.rest('POST', '/channels/articles/entries', { body: { title } }), 201).id;
}

interface Page {
  readonly changes: readonly { id: string }[];
  readonly cursor: string;
}

interface Polled {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly page: Page;
}

/** Waits for a change. It may have to give way to the request that looks whether all of them wait. */
async function poll(after: string): Promise<Polled> {
  let answer = await ask(after);
  while (answer.status === 429) answer = await ask(after);
  return answer;
}

function ask(after: string): Promise<Polled> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${site.master}`, Prefer: 'wait=60' };
    const sent = request(`${one.url}/changes?after=${after}`, { agent: false, headers });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => {
        const { connection } = response.headers;
        resolve({ status: response.statusCode, connection, page: JSON.parse(text) as Page });
      });
    });
    sent.end();
  });
}

interface Result {
  readonly data?: { readonly changes: { readonly cursor: string; readonly id: string } };
}

function subscribe(service: ServiceProcess, after: string): AsyncIterableIterator<Result> {
  const headers = { Authorization: `Bearer ${site.master}` };
  const client = createClient({ url: `${service.url}/graphql/stream`, headers, retryAttempts: 0 });
  const query = 'subscription ($after: String) { changes(after: $after) { cursor id } }';
  return client.iterate({ query, variables: { after } }) as AsyncIterableIterator<Result>;
}

const idOf = ({ data = '{}' }: StreamEvent = {}): string => (JSON.parse(data) as { id: string }).id;

test('SIGTERM ends open streams, long polls and subscriptions, whose clients go on at another process from their cursors', async () => {
  const [atOne, atOther] = [as(one, { token: site.master }), as(other, { token: site.master })];
  const { cursor } = (await atOne.rest<Page>('GET', '/changes?after=now')).body;
  const first = await create(atOther, 'First');
  const reader = await openEvents(one, `/changes?after=${cursor}`, { token: site.master });
  const [event] = await reader.take(1);
  const results = subscribe(one, cursor);
  const result = ((await results.next()) as IteratorYieldResult<Result>).value.data?.changes;
  expect([idOf(event), result?.id]).toEqual([first, first]);
  const waiting = poll(event?.id ?? '');
  const isFull = async (): Promise<boolean> =>
    (await atOne.rest('GET', '/changes?after=now', { headers: { Prefer: 'wait=1' } })).status === 429;
  while (!(await isFull()));
  const ended = results.next().catch((error: unknown) => error);
  expect(await one.stop()).toBe(0);
  await reader.ended;
  expect(reader.blocks.at(-1)).toEqual({ comment: 'the service stops' });
  const { status, connection, page } = await waiting;
  expect([status, connection, page.changes]).toEqual([200, 'close', []]);
  // It ends without being complete: a client asks again.
  expect(await ended).toBeInstanceOf(Error);
  expect(one.log()).not.toMatch(/"level":(?:50|60)/);

  const second = await create(atOther, 'Second');
  const resumed = await openEvents(other, '/changes', { token: site.master }, { 'Last-Event-ID': event?.id ?? '' });
  expect((await resumed.take(1)).map(idOf)).toEqual([second]);
  resumed.close();
  const next = await atOther.rest<Page>('GET', `/changes?after=${page.cursor}`);
  expect(next.body.changes.map(({ id }) => id)).toEqual([second]);
  const again = subscribe(other, result?.cursor ?? '');
  expect(((await again.next()) as IteratorYieldResult<Result>).value.data?.changes.id).toBe(second);
  await again.return?.();
});
