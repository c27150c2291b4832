// OpenTelemetry spans of requests, operations and statements. They exist only if the process has loaded an SDK, which
// also exports them: this service exports nothing (docs/contract.md §13.4).
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

/** The API's provider, which delegates to that of an SDK, and can be asked for it. */
interface MaybeProvider extends TracerProvider {
  readonly getDelegateTracer?: (name: string) => Tracer | undefined;
}

/** The tracer of the SDK that the process has loaded; null if it has loaded none. */
function findTracer(): Tracer | null {
  const provider: MaybeProvider = trace.getTracerProvider();
  return (provider.getDelegateTracer ? provider.getDelegateTracer(tracerName) : provider.getTracer(tracerName)) ?? null;
}

/**
 * Whether a request has been traced in this process: before that, operations and statements have no parent span, and their
 * callers do not ask for one.
 */
export let isTracing = false;

/** A request, as its span describes it. */
interface TracedRequest {
  readonly method: string;
  readonly headers: object;
}

/**
 * Runs the handling of a request in a span, as a part of the trace in its header `traceparent`.
 * @param handle receives the span, and ends it; null if nothing is traced
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
 * The tracer, if a span is active that further ones can belong to; else null. Work that outlives its request, such as a
 * timer, keeps the request's span as the active one: once that has ended, the work belongs to no request.
 */
function findInnerTracer(): Tracer | null {
  const tracer = findTracer();
  return tracer !== null && trace.getSpan(context.active())?.isRecording() === true ? tracer : null;
}

/** The description of an error in a span. */
export interface SpanError {
  /** The kind of error, never content of a request. */
  readonly type: string;
  /** Whether the service or the database is at fault, and not the request. */
  readonly isFault: boolean;
}

/** The attributes of a span, at its start and its end. */
interface SpanPlan<Result> {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly describeResult: (result: Result) => Attributes;
  readonly describeError: (error: unknown) => SpanError;
}

/** Runs an operation in a span of its name, if its request is traced. @returns its result @throws as the operation */
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

/** Maximum length of a statement in a span, in characters. */
const maxStatementLength = 4_000;

/**
 * Runs a statement in a span, if it belongs to a traced request. The span has the statement's text, in which every
 * value is a parameter, and no values.
 * @param countRows counts the rows of a result; null if unknown
 * @returns its result
 * @throws as the statement
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

/** Describes a statement's error by its SQLSTATE, or by its class: its message may contain values. */
function describeFailure(error: unknown): SpanError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { type: typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown', isFault: true };
}

/** An answered request, as its span describes it (the semantic conventions for HTTP servers). */
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
