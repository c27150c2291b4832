// The files of deploy/ and the queries of docs/operations.md name metrics and labels that a service has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildSite } from '../../support/build.ts';
import { readMetrics } from '../../support/monitoring.ts';
import { exchange } from '../../support/wire.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The labels of each metric, by the name that its samples have. Prometheus itself adds `job` and `instance`. */
const known = new Map<string, Set<string>>([
  ['up', new Set()],
  // Those of replicas are absent without one: test/postgresql/replicas.test.ts reads them.
  ['entryway_replica_lag_seconds', new Set(['replica'])],
  ['entryway_replica_reads_total', new Set(['target'])],
  ['entryway_replica_failures_total', new Set(['replica'])],
]);
const added = ['job', 'instance'];
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ METRICS_PORT: '0' });
  const { master } = await buildSite(app.database.prisma);
  await as(app, { token: master }).gql('{ channels { id } }');
  await as(app, { token: master }).rest('GET', '/customers');
  await exchange(app, 'nonsense\r\n\r\n');
  // Some are counted in the background, after the metrics were asked for.
  while (!known.has('entryway_changes_undelivered')) {
    for (const { name, labels } of await readMetrics(app)) {
      known.set(name, new Set([...(known.get(name) ?? []), ...Object.keys(labels)]));
    }
  }
});

afterAll(() => app.close());

/** What a query names that there is not: metrics, and labels of the metrics that it names. */
function unknownIn(query: string): string[] {
  const bare = query.replace(/\$\w+/g, '').replace(/"[^"]*"/g, '""');
  const names = bare.match(/\b(?:entryway|nodejs|process)_\w+|\bup\b/g) ?? [];
  if (names.length === 0) return [`no metric in ${query}`];
  const labels = [
    ...[...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) => inner.match(/\w+(?=\s*(?:=|!))/g) ?? []),
    ...[...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.match(/\w+/g) ?? []),
  ];
  return names.flatMap((name) => {
    const has = known.get(name);
    if (has === undefined) return [name];
    return labels.filter((label) => !added.includes(label) && !has.has(label)).map((label) => `${name}{${label}}`);
  });
}

/** The queries of the alert rules. */
function alertQueries(): string[] {
  return [...read('deploy/prometheus-alerts.yaml').matchAll(/^ +expr: (.*)$/gm)].map(([, query = '']) => query);
}

/** The queries of the dashboard's panels. */
function dashboardQueries(): string[] {
  const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The queries of the document: a code block without a language, of paragraphs that begin with a comment. */
function documentQueries(): string[] {
  const [, block = ''] = /Some queries:\n\n```\n(.*?)```/s.exec(read('docs/operations.md')) ?? [];
  return block.split('\n\n').map((part) => part.replace(/^#.*\n/gm, ''));
}

describe.each([
  ['the alert rules', alertQueries, 10],
  ['the dashboard', dashboardQueries, 20],
  ['docs/operations.md', documentQueries, 3],
])('%s', (_what, queries, least) => {
  test('the monitoring file names only existing metrics and labels', () => {
    expect(queries().length).toBeGreaterThanOrEqual(least);
    expect(queries().flatMap(unknownIn)).toEqual([]);
  });
});

test('the test detects a metric and a label that do not exist', () => {
  expect(unknownIn('rate(entryway_nothing_total[5m])')).toEqual(['entryway_nothing_total']);
  expect(unknownIn('entryway_queue_waiting{channel="x"}')).toEqual(['entryway_queue_waiting{channel}']);
  expect(unknownIn('sum by (site, queue) (entryway_queue_waiting)')).toEqual(['entryway_queue_waiting{site}']);
  expect(unknownIn('1 > 0')).toHaveLength(1);
});

test('docs/operations.md lists every metric of the service', () => {
  const document = read('docs/operations.md');
  const names = [...known.keys()]
    .filter((name) => name.startsWith('entryway_'))
    .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  expect(names.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
});

test('every alert has a severity, a summary and a description', () => {
  const rules = read('deploy/prometheus-alerts.yaml').split('- alert: ').slice(1);
  expect(rules.length).toBeGreaterThanOrEqual(10);
  const incomplete = rules.filter(
    (rule) => !/severity: \w+/.test(rule) || !/summary: '.+'\n +description: '.+'/.test(rule),
  );
  expect(incomplete).toEqual([]);
});
