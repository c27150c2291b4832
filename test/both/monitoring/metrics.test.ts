// The metrics (docs/contract.md §13.3): what they count, and that no caller can add a value to their labels.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sitePaths } from '../../../src/features/typed/graphql/router.ts';
import { operations, routes } from '../../../src/features.ts';
import { listPagePaths } from '../../../src/browser/router.ts';
import { errorTable } from '../../../src/base/errors.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { databaseKind, serverCount } from '../../support/db.ts';
import { LogReader, readMetrics, type Sample } from '../../support/monitoring.ts';
import { seeded } from '../../support/random.ts';
import { exchange } from '../../support/wire.ts';

const log = new LogReader();
let app: TestApp;
let site: TestSite;

beforeAll(async () => {
  app = await startApp({ METRICS_PORT: '0' }, undefined, log.read);
  const db = app.database.prisma;
  site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles' });
  await buildEntry(db, channel, { slug: 'one', data: { title: 'One' } });
});

afterAll(() => app.close());

/** The sum of the samples of a name that have some labels. */
async function total(name: string, labels: Record<string, string> = {}): Promise<number> {
  const samples = (await readMetrics(app)).filter((sample) => sample.name === name && hasLabels(sample, labels));
  return samples.reduce((sum, { value }) => sum + value, 0);
}

function hasLabels(sample: Sample, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
}

/** Sends a request, and waits until its line is in the log: it is counted by then. */
async function counted(method: string, path: string, token: string, body?: unknown): Promise<void> {
  const { headers } = await as(app, { token }).rest(method, path, { body });
  await log.ofRequest(headers.get('x-request-id') ?? '');
}

describe('what is counted', () => {
  test('metrics count requests by route, operation, kind and status, and their time', async () => {
    const work = { route: '/channels/:channel/entries/:entry', operation: 'fetchEntry' };
    await counted('GET', '/channels/articles/entries/one', site.public);
    await counted('GET', '/channels/articles/entries/none', site.master);
    const requests = 'entryway_http_requests_total';
    expect(await total(requests, { method: 'GET', ...work, kind: 'public', status: '200' })).toBe(1);
    expect(await total(requests, { method: 'GET', ...work, kind: 'master', status: '404' })).toBe(1);
    expect(await total('entryway_http_request_duration_seconds_count', work)).toBe(2);
    expect(await total('entryway_http_request_duration_seconds_sum', work)).toBeGreaterThan(0);
    expect(await total('entryway_http_request_database_seconds_total', work)).toBeGreaterThan(0);
    expect(await total('entryway_http_request_rows_total', work)).toBe(1);
    expect(await total('entryway_http_response_bytes_total', work)).toBeGreaterThan(100);
  });

  test('metrics count the operations of GraphQL and of bulk requests separately', async () => {
    const document = '{ a: entry(channel: "articles", id: "one") { id } channels { id } }';
    const { headers } = await as(app, { token: site.public }).gql(document);
    await log.ofRequest(headers.get('x-request-id') ?? '');
    expect(await total('entryway_operations_total', { operation: 'listChannels', kind: 'public', code: 'ok' })).toBe(1);
    expect(await total('entryway_http_requests_total', { route: '/graphql', operation: 'several' })).toBe(1);
    const parts = [
      { op: 'create', data: {} },
      { op: 'delete', id: 'nothing-here' },
    ];
    await counted('POST', '/channels/articles/entries/bulk', site.master, { operations: parts });
    expect(await total('entryway_operations_total', { operation: 'deleteEntry', code: 'not_found' })).toBe(1);
    expect(await total('entryway_operations_total', { operation: 'createEntries', kind: 'master', code: 'ok' })).toBe(
      1,
    );
    expect(await total('entryway_operation_duration_seconds_count', { operation: 'bulkEntries' })).toBe(1);
  });

  test('metrics count requests that cannot be parsed', async () => {
    await exchange(app, 'nonsense\r\n\r\n');
    expect(await total('entryway_unreadable_requests_total', { status: '400' })).toBe(1);
  });

  test('metrics count look-ups of the caches, and the age of their last proof', async () => {
    const before = await total('entryway_cache_lookups_total', { cache: 'tokens', result: 'hit' });
    await counted('GET', '/channels', site.public);
    expect(await total('entryway_cache_lookups_total', { cache: 'tokens', result: 'hit' })).toBeGreaterThan(before);
    expect(await total('entryway_cache_answers', { cache: 'tokens' })).toBeGreaterThanOrEqual(1);
    expect(await total('entryway_cache_proof_age_seconds')).toBeLessThan(2);
  });

  test('metrics have the pool, the queues, rebuilds, the event loop and the process', async () => {
    const names = new Set((await readMetrics(app)).map(({ name }) => name));
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ]) {
      expect([name, names.has(name)]).toEqual([name, true]);
    }
    expect(await total('entryway_queue_capacity', { queue: 'statements' })).toBeGreaterThanOrEqual(1);
    expect(await total('entryway_queue_waiting')).toBe(0);
    expect(names.has('entryway_pool_connections_max')).toBe(databaseKind === 'postgresql');
    expect(await total('entryway_pool_connections_max')).toBe(databaseKind === 'postgresql' ? 10 * serverCount : 0);
    expect(await total('entryway_rebuilds_underway')).toBe(0);
  });

  test('metrics count entries that a change of fields rebuilds', async () => {
    const fields = [{ name: 'title', type: 'STRING', indexed: true }];
    const { errors } = await as(app, { token: site.master }).gql(
      'mutation ($input: ChannelPatch!) { updateChannel(id: "articles", input: $input) { id } }',
      { input: { fields } },
    );
    expect(errors).toBeUndefined();
    expect(await total('entryway_rebuilt_entries_total')).toBeGreaterThanOrEqual(1);
    expect(await total('entryway_rebuild_failures_total')).toBe(0);
  });
});

/** Every value that a label may have. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'],
  route: [
    '/livez',
    '/readyz',
    '/graphql',
    ...sitePaths,
    'unknown',
    ...listPagePaths({ console: true }),
    ...routes.map(({ path }) => path),
  ],
  operation: [...Object.keys(operations), 'several', 'none'],
  kind: ['master', 'public', 'user', 'none'],
  status: [
    ...new Set(Object.values(errorTable).map(({ status }) => String(status))),
    '200',
    '201',
    '204',
    '304',
    '408',
    '431',
  ],
  code: ['ok', ...Object.keys(errorTable)],
  queue: ['unknown_tokens', 'bodies', 'values', 'blocking', 'work', 'large_answers', 'writes', 'statements', 'own'],
  cache: ['tokens', 'memberships', 'roles', 'sessions', 'customers', 'channels'],
  result: ['hit', 'miss', 'bypass'],
  stage: ['feed', 'webhooks'],
  outcome: ['ok', 'refused', 'limited', 'busy'],
};

test('hostile paths, methods, documents and tokens add no value to any label', async () => {
  const { pick, upTo } = seeded(13);
  const word = (): string => Array.from({ length: 1 + upTo(30) }, () => pick([...'abz09-_.~%:{}"\\'])).join('');
  const methods = [
    'GET',
    'POST',
    'PROPFIND',
    'PURGE',
    'REPORT',
    'TRACE',
    'M-SEARCH',
    'DELETE',
    'OPTIONS',
    'HEAD',
    'PUT',
  ];
  for (let at = 0; at < 150; at += 1) {
    const path = pick([
      `/${word()}`,
      `/channels/${word()}/entries/${word()}`,
      `/channels/${word()}`,
      `/${word()}/${word()}?${word()}`,
      `${pick(sitePaths)}?${word()}`,
      `/graphql/site/${word()}`,
    ]);
    const token = pick([site.public, site.master, word().replaceAll(/["\\]/g, '')]);
    const head = `${pick(methods)} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    await exchange(app, head);
  }
  for (let at = 0; at < 40; at += 1) {
    const name = `op${word().replaceAll(/\W/g, '')}`;
    await as(app, { token: site.public }).gql(
      pick([`query ${name} { channels { id } }`, `{ ${name} }`, `mutation { ${name} }`, word()]),
    );
  }
  // What is counted in the background is there a moment after it was first asked for.
  const isWhole = (found: Sample[]): boolean => found.some(({ labels }) => 'stage' in labels);
  let samples: Sample[] = [];
  while (!isWhole(samples)) samples = (await readMetrics(app)).filter(({ name }) => name.startsWith('entryway_'));
  const values = samples.flatMap(({ labels }) => Object.entries(labels).filter(([label]) => label !== 'le'));
  expect(new Set(values.map(([label]) => label))).toEqual(new Set(Object.keys(allowed)));
  const found = values.filter(([label, value]) => !(allowed[label] ?? []).includes(value));
  expect(found).toEqual([]);
  expect(await total('entryway_http_requests_total', { route: 'unknown' })).toBeGreaterThan(10);
  expect(await total('entryway_http_requests_total', { method: 'other' })).toBeGreaterThan(10);
});

describe('where they are served', () => {
  test('metrics are served at GET /metrics of a port of their own, and nothing else is', async () => {
    const url = app.metricsUrl ?? '';
    const ask = async (method: string, path: string) => fetch(new URL(path, url), { method });
    const answer = await ask('GET', '/metrics');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
    expect((await ask('HEAD', '/metrics')).status).toBe(200);
    expect((await ask('GET', '/')).status).toBe(404);
    const refused = await ask('POST', '/metrics');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('metrics are not served on the port of the service', async () => {
    const { status } = await as(app, { token: site.master }).rest('GET', '/metrics');
    expect(status).toBe(404);
  });

  test('metrics are not served without METRICS_PORT', async () => {
    const plain = await startApp({}, app.database);
    try {
      expect(plain.metricsUrl).toBeNull();
    } finally {
      await plain.close();
    }
  });
});
