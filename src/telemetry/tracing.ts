// Spans of OpenTelemetry: of requests, operations and statements. They exist only where the process has loaded an SDK, which
// also decides what becomes of them: this service exports nothing (docs/contract.md §13.4).
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';

export type { Span };

const tracerName = 'entryway';

/** The provider that the API gives stands for that of an SDK, and can tell whether there is one. */
interface MaybeProvider extends TracerProvider {
  readonly getDelegateTracer?: (name: string) => Tracer | undefined;
}

/** The tracer of the SDK that the process has loaded; null if it has loaded none. */
function findTracer(): Tracer | null {
  const provider: MaybeProvider = trace.getTracerProvider();
  return (provider.getDelegateTracer ? provider.getDelegateTracer(tracerName) : provider.getTracer(tracerName)) ?? null;
}

/** Whether a request has been traced in this process: before that, operations and statements have no span to belong to. */
export let isTracing = false;

/** A request, as its span describes it. */
interface TracedRequest {
  readonly method: string;
  readonly headers: object;
}

/**
 * Runs the handling of a request in a span, as a part of the trace that its header `traceparent` names.
 * @param handle receives the span, and ends it; null: nothing is traced
 */
export function runInRequestSpan(request: TracedRequest, handle: (span: Span | null) => void): void {
  const tracer = findTracer();
  if (tracer === null) {
    handle(null);
    return;
  }
  isTracing = true;
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
  context.with(trace.setSpan(parent, span), handle, undefined, span);
}

/**
 * The tracer, where a span is active that further ones belong to; else null. Work that a request leaves behind, such as a timer,
 * keeps its span as the active one: when that has ended, the work belongs to no request any more.
 */
function findInnerTracer(): Tracer | null {
  if (!isTracing) return null;
  const tracer = findTracer();
  return tracer !== null && trace.getSpan(context.active())?.isRecording() === true ? tracer : null;
}

/** What a span tells of an error. */
export interface SpanError {
  /** What kind of error it is, never what a request held. */
  readonly type: string;
  /** Whether the service or the database is at fault, and not the request. */
  readonly isFault: boolean;
}

/** What a span is, and what it tells of how its work ended. */
interface SpanPlan<Result> {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly describeResult: (result: Result) => Attributes;
  readonly describeError: (error: unknown) => SpanError;
}

/** Runs an operation in a span of its name, where its request is traced. @returns its result @throws what it throws */
export function runInOperationSpan<Result>(
  name: string,
  run: () => Promise<Result>,
  describeError: (error: unknown) => SpanError,
): Promise<Result> {
  const tracer = findInnerTracer();
  if (tracer === null) return run();
  const attributes = { 'entryway.operation': name };
  return runInSpan(tracer, run, { name, kind: SpanKind.INTERNAL, attributes, describeResult: nothing, describeError });
}

/** How many characters of a statement a span has. */
const maxStatementLength = 4_000;

/**
 * Runs a statement in a span, where it belongs to a request that is traced. The span has the statement's text, in which every
 * value is a parameter, and no values.
 * @param countRows how many rows a result has; null: that is not known
 * @returns its result
 * @throws what it throws
 */
export function runInStatementSpan<Result>(
  text: string,
  run: () => Promise<Result>,
  countRows: (result: Result) => number | null,
): Promise<Result> {
  const tracer = findInnerTracer();
  if (tracer === null) return run();
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': verb,
    'db.query.text': text.slice(0, maxStatementLength),
  };
  const describeResult = (result: Result): Attributes => {
    const rows = countRows(result);
    return rows === null ? {} : { 'db.response.returned_rows': rows };
  };
  return runInSpan(tracer, run, {
    name: verb,
    kind: SpanKind.CLIENT,
    attributes,
    describeResult,
    describeError: describeFailure,
  });
}

async function runInSpan<Result>(
  tracer: Tracer,
  run: () => Promise<Result>,
  { name, kind, attributes, describeResult, describeError }: SpanPlan<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { kind, attributes });
  try {
    const result = await context.with(trace.setSpan(context.active(), span), run);
    span.setAttributes(describeResult(result));
    return result;
  } catch (error) {
    const { type, isFault } = describeError(error);
    span.setAttribute('error.type', type);
    if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function nothing(): Attributes {
  return {};
}

/** A statement's error by its SQLSTATE, or by its class: its message may hold values. */
function describeFailure(error: unknown): SpanError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { type: typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown', isFault: true };
}

/** A request that has been answered, as its span describes it (the semantic conventions for HTTP servers). */
export interface TracedEnd {
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly address: string;
  readonly site: string | null;
  readonly token: string | null;
}

/** Ends the span of a request. */
export function endRequestSpan(span: Span, end: TracedEnd): void {
  const { method, route, path, status, address, site, token } = end;
  span.updateName(`${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.route': route,
    'url.path': path,
    'http.response.status_code': status,
    'client.address': address,
    ...(site !== null && { 'entryway.site': site }),
    ...(token !== null && { 'entryway.token.id': token }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(status));
  span.end();
}
