// The metrics of a process' current state: its pool, queues, caches and rebuilds.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { CacheState, Gauges, PoolState, QueueState, RebuildState } from './gauges.ts';

/** Samples of a value, each with the values of its labels. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];
type Read = () => readonly Sample[];

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** The aggregation of the values of several workers; absent for their sum. */
  readonly aggregator?: 'max';
  readonly read: Read;
}

/** Adds the metrics of the state of a process. A further component with a state is a further row of these lists. */
export function addGauges(registry: Registry, gauges: Gauges): void {
  for (const { read, ...definition } of [
    ...poolGauges(gauges),
    ...replicaGauges(gauges),
    ...queueGauges(gauges),
    ...accessGauges(gauges),
    ...changeGauges(gauges),
  ]) {
    addGauge(registry, definition, read);
  }
  const counters = [...cacheCounters(gauges), ...rebuildCounters(gauges), ...replicaCounters(gauges)];
  for (const { read, ...definition } of counters) {
    addCounter(registry, definition, read);
  }
}

type Described = Omit<Definition, 'read'>;

function addGauge(registry: Registry, { labelNames = [], ...described }: Described, read: Read): void {
  const gauge = new Gauge({
    ...described,
    labelNames: [...labelNames],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const [labels, value] of read()) gauge.set(labels, value);
    },
  });
}

/** Adds a number that only grows, and that its component counts itself. */
function addCounter(registry: Registry, { labelNames = [], ...described }: Described, read: Read): void {
  const counter = new Counter({
    ...described,
    labelNames: [...labelNames],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [labels, value] of read()) counter.inc(labels, value);
    },
  });
}

function poolGauges({ pool }: Gauges): Definition[] {
  // Without labels a metric is never absent, and would report 0.
  if (pool() === null) return [];
  const read = (member: keyof PoolState) => (): Sample[] => {
    const state = pool();
    return state === null ? [] : [[{}, state[member]]];
  };
  return [
    { name: 'entryway_pool_connections_max', help: 'Connections that the pool may have.', read: read('max') },
    { name: 'entryway_pool_connections', help: 'Connections of the pool.', read: read('open') },
    { name: 'entryway_pool_connections_idle', help: 'Connections of the pool that nobody uses.', read: read('idle') },
    {
      name: 'entryway_pool_waiting',
      help: 'Statements and transactions that wait for a connection.',
      read: read('waiting'),
    },
  ];
}

function replicaGauges({ replicas }: Gauges): Definition[] {
  if (replicas() === null) return [];
  return [
    {
      name: 'entryway_replica_lag_seconds',
      help: 'How far a replica may be behind the primary; beyond REPLICA_MAX_LAG it answers nothing.',
      labelNames: ['replica'],
      aggregator: 'max',
      read: () => (replicas()?.replicas ?? []).map(({ lag }, at) => [{ replica: String(at + 1) }, lag / 1_000]),
    },
  ];
}

function replicaCounters({ replicas }: Gauges): Definition[] {
  if (replicas() === null) return [];
  const readEach = (member: 'reads' | 'failures', label: string) => (): Sample[] =>
    (replicas()?.replicas ?? []).map((state, at) => [{ [label]: String(at + 1) }, state[member]]);
  return [
    {
      name: 'entryway_replica_reads_total',
      help: 'Reads of entries that replicas may answer, by what answered: the number of a replica, or primary.',
      labelNames: ['target'],
      read: () => [[{ target: 'primary' }, replicas()?.primaryReads ?? 0], ...readEach('reads', 'target')()],
    },
    {
      name: 'entryway_replica_failures_total',
      help: 'Reads that a replica failed to answer, so that the primary did.',
      labelNames: ['replica'],
      read: readEach('failures', 'replica'),
    },
  ];
}

function queueGauges({ queues }: Gauges): Definition[] {
  const read = (member: keyof QueueState) => (): Sample[] =>
    Object.entries(queues()).map(([queue, state]) => [{ queue }, state[member]]);
  const labelNames = ['queue'];
  return [
    {
      name: 'entryway_queue_capacity',
      help: 'What a queue lets be held at a time.',
      labelNames,
      read: read('capacity'),
    },
    { name: 'entryway_queue_held', help: 'What requests hold of a queue.', labelNames, read: read('held') },
    { name: 'entryway_queue_waiting', help: 'Requests that wait in a queue.', labelNames, read: read('waiting') },
  ];
}

function accessGauges({ caches, proofAge, rebuilds }: Gauges): Definition[] {
  return [
    {
      name: 'entryway_cache_answers',
      help: 'Answers that a cache holds.',
      labelNames: ['cache'],
      read: () => Object.entries(caches()).map(([cache, { answers }]) => [{ cache }, answers]),
    },
    {
      name: 'entryway_cache_proof_age_seconds',
      help: 'Since it was last proven that the caches have heard of every change; beyond 0.9 they are not used.',
      aggregator: 'max',
      read: () => [[{}, proofAge() / 1_000]],
    },
    {
      name: 'entryway_rebuilds_underway',
      help: 'Channels whose entries are rebuilt after a change of fields.',
      read: () => [[{}, rebuilds().underway]],
    },
  ];
}

function changeGauges({ undelivered }: Gauges): Definition[] {
  return [
    {
      name: 'entryway_changes_undelivered',
      help: 'Changes of all sites that are without a place in the feed, or wait for a webhook; counted up to 10,000.',
      labelNames: ['stage'],
      // Each worker counts the feeds of all.
      aggregator: 'max',
      read: () => {
        const state = undelivered();
        if (state === null) return [];
        return [
          [{ stage: 'feed' }, state.unplaced],
          [{ stage: 'webhooks' }, state.queued],
        ];
      },
    },
  ];
}

function cacheCounters({ caches }: Gauges): Definition[] {
  const results = { hit: 'hits', miss: 'misses', bypass: 'bypassed' } as const satisfies Record<
    string,
    keyof CacheState
  >;
  return [
    {
      name: 'entryway_cache_lookups_total',
      help: 'Look-ups by result: the cache answered (hit), the database did (miss), or the cache was not current (bypass).',
      labelNames: ['cache', 'result'],
      read: () =>
        Object.entries(caches()).flatMap(([cache, state]) =>
          Object.entries(results).map(([result, member]): Sample => [{ cache, result }, state[member]]),
        ),
    },
  ];
}

function rebuildCounters({ rebuilds }: Gauges): Definition[] {
  const read = (member: keyof RebuildState) => (): Sample[] => [[{}, rebuilds()[member]]];
  return [
    { name: 'entryway_rebuilt_entries_total', help: 'Entries that were rebuilt.', read: read('entries') },
    {
      name: 'entryway_rebuild_failures_total',
      help: 'Rebuilds that failed, and are tried again.',
      read: read('failures'),
    },
  ];
}
