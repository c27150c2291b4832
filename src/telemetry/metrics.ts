// The metrics of a process, in the format of Prometheus. The number of a label's values is bounded: text that callers
// choose (paths, methods, sites, tokens) is never a label (docs/contract.md §13.3).
import { AggregatorRegistry, collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { OperationEnd, OperationObserver, RequestStats } from './requestStats.ts';
import { addGauges } from './gaugeMetrics.ts';
import type { Gauges } from './gauges.ts';

/** The end of a request, for the metrics. */
export interface RequestEnd {
  readonly method: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly account: Pick<RequestStats, 'route' | 'operations' | 'tokenKind' | 'rows' | 'databaseMilliseconds'>;
}

/** The methods with a label value of their own. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The label value of anything unknown, such as the method of a request that could not be parsed. */
const other = 'other';
const none = 'none';

/** The outcomes of sign-ins (docs/contract.md §14.8). */
const signInOutcomes = ['ok', 'refused', 'limited', 'busy'] as const;

/** In seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The labels of a request's work: the pattern of its path, and its operation, `several` or `none`. */
const workLabels = ['route', 'operation'] as const;

type RequestCounters = Record<'requests' | 'databaseSeconds' | 'rows' | 'bytes' | 'unreadable' | 'strays', Counter>;
type RequestMetrics = RequestCounters & { readonly seconds: Histogram };

/** The metrics of requests. */
function createRequestMetrics(registers: [Registry]): RequestMetrics {
  return {
    requests: new Counter({
      name: 'entryway_http_requests_total',
      help: 'Requests that were answered, or whose client went away.',
      labelNames: ['method', ...workLabels, 'kind', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'entryway_http_request_duration_seconds',
      help: 'From the headers of a request to the end of its answer.',
      labelNames: ['method', ...workLabels],
      buckets,
      registers,
    }),
    databaseSeconds: new Counter({
      name: 'entryway_http_request_database_seconds_total',
      help: 'Time that the statements of requests took.',
      labelNames: workLabels,
      registers,
    }),
    rows: new Counter({
      name: 'entryway_http_request_rows_total',
      help: 'Rows that the statements of requests returned.',
      labelNames: workLabels,
      registers,
    }),
    bytes: new Counter({
      name: 'entryway_http_response_bytes_total',
      help: 'Bytes of the bodies of answers.',
      labelNames: workLabels,
      registers,
    }),
    unreadable: new Counter({
      name: 'entryway_unreadable_requests_total',
      help: 'Requests that were refused before they could be parsed.',
      labelNames: ['status'],
      registers,
    }),
    strays: new Counter({
      name: 'entryway_stray_rejections_total',
      help: 'Rejections that nobody handled, each of which is a fault of the service; source is "request" or "unknown".',
      labelNames: ['source'],
      registers,
    }),
  };
}

/** The metrics of operations. */
function createOperationMetrics(registers: [Registry]): { operations: Counter; seconds: Histogram } {
  return {
    operations: new Counter({
      name: 'entryway_operations_total',
      help: 'Operations that ended, those within bulk requests too; code is "ok", or that of the error.',
      labelNames: ['operation', 'kind', 'code'],
      registers,
    }),
    seconds: new Histogram({
      name: 'entryway_operation_duration_seconds',
      help: 'From the arguments of an operation to its result.',
      labelNames: ['operation'],
      buckets,
      registers,
    }),
  };
}

/** The metric of sign-ins, which begins at zero. */
function createSignInMetric(registers: [Registry]): Counter {
  const signIns = new Counter({
    name: 'entryway_sign_ins_total',
    help: 'Sign-ins to the console by their outcome: ok, refused, limited (too many failures) or busy.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of signInOutcomes) signIns.inc({ outcome }, 0);
  return signIns;
}

export class Metrics implements OperationObserver {
  readonly #registry = new Registry();
  readonly #requestMetrics = createRequestMetrics([this.#registry]);
  readonly #operationMetrics = createOperationMetrics([this.#registry]);
  readonly #signIns = createSignInMetric([this.#registry]);

  /** @param gauges the state to read each time the metrics are read */
  constructor(gauges: Gauges) {
    addGauges(this.#registry, gauges);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts a request that has ended. */
  countRequest({ method, status, milliseconds, bytes, account }: RequestEnd): void {
    const { route, tokenKind, rows, databaseMilliseconds } = account;
    const [first = none, second] = account.operations;
    const work = { route, operation: second === undefined ? first : 'several' };
    const methodLabel = methods.has(method) ? method : other;
    this.#requestMetrics.requests.inc({ method: methodLabel, ...work, kind: tokenKind ?? none, status });
    this.#requestMetrics.seconds.observe({ method: methodLabel, ...work }, milliseconds / 1_000);
    this.#requestMetrics.bytes.inc(work, bytes);
    if (databaseMilliseconds === 0) return;
    this.#requestMetrics.databaseSeconds.inc(work, databaseMilliseconds / 1_000);
    this.#requestMetrics.rows.inc(work, rows);
  }

  /** Counts an operation that has ended. */
  countOperation({ name, kind, code, milliseconds }: OperationEnd): void {
    this.#operationMetrics.operations.inc({ operation: name, kind: kind ?? none, code: code ?? 'ok' });
    this.#operationMetrics.seconds.observe({ operation: name }, milliseconds / 1_000);
  }

  /** Counts a sign-in, or a failed one. */
  countSignIn(outcome: (typeof signInOutcomes)[number]): void {
    this.#signIns.inc({ outcome });
  }

  /** Counts a request that could not be parsed. */
  countUnreadable(status: number): void {
    this.#requestMetrics.unreadable.inc({ status });
  }

  /** Counts an unhandled rejection. @param source whether its request is known */
  countStray(source: 'request' | 'unknown'): void {
    this.#requestMetrics.strays.inc({ source });
  }

  /** The media type of the text that `read` returns. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics as text. */
  read(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Answers the supervisor of this worker, which collects the metrics of all its workers. */
  tellSupervisor(): void {
    AggregatorRegistry.setRegistries([this.#registry]);
    // Listens for the supervisor's requests.
    new AggregatorRegistry();
  }

  /** Forgets all metrics. */
  close(): void {
    this.#registry.clear();
  }
}
