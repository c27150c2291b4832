// Spans (docs/contract.md §13.4), as an SDK that the process has loaded gets them; without one there are none.
import { AsyncResource } from 'node:async_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { runInRequestSpan } from '../../../src/telemetry/tracing.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { LogReader } from '../../support/monitoring.ts';

const log = new LogReader();
const exporter = new InMemorySpanExporter();
let app: TestApp;
let site: TestSite;

beforeAll(async () => {
  app = await startApp({}, undefined, log.read);
  const db = app.database.prisma;
  site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles' });
  await buildEntry(db, channel, { slug: 'one', data: { title: 'One' } });
});

afterAll(() => app.close());

const remote = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${remote.traceId}-${remote.spanId}-01`;

/** Asks, and gives the spans of the request when it has ended. */
async function spansOf(
  ask: (headers: Record<string, string>) => Promise<{ headers: Headers }>,
): Promise<ReadableSpan[]> {
  exporter.reset();
  const { headers } = await ask({ traceparent });
  await log.ofRequest(headers.get('x-request-id') ?? '');
  return exporter.getFinishedSpans();
}

function ofKind(spans: readonly ReadableSpan[], wanted: SpanKind): ReadableSpan[] {
  return spans.filter(({ kind }) => kind === wanted);
}

test('without an SDK there are no spans, and the log names no trace', async () => {
  const spans = await spansOf((headers) => as(app, { token: site.public }).rest('GET', '/channels', { headers }));
  expect(spans).toEqual([]);
  expect(log.requests().at(-1)).not.toHaveProperty('traceId');
});

describe('with an SDK', () => {
  beforeAll(() => new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register());
  afterAll(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });
  afterEach(() => exporter.reset());

  test('a request has a span, as a part of the trace that traceparent names', async () => {
    const ask = as(app, { token: site.public });
    const spans = await spansOf((headers) => ask.rest('GET', '/channels/articles/entries/one?only=slug', { headers }));
    const [request, ...others] = ofKind(spans, SpanKind.SERVER);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ name: 'GET /channels/:channel/entries/:entry', parentSpanContext: remote });
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/channels/:channel/entries/:entry',
      'http.response.status_code': 200,
      'url.path': '/channels/articles/entries/one',
      'client.address': '127.0.0.1',
      'entryway.site': site.id,
    });
    expect(log.requests().at(-1)).toMatchObject({ traceId: remote.traceId });
  });

  test('an operation’s span is inside its request’s, and its statements’ inside it', async () => {
    const ask = as(app, { token: site.master });
    const spans = await spansOf((headers) => ask.rest('GET', '/channels/articles/entries/one', { headers }));
    const [request] = ofKind(spans, SpanKind.SERVER);
    const [operation] = ofKind(spans, SpanKind.INTERNAL);
    const statements = ofKind(spans, SpanKind.CLIENT);
    expect(operation).toMatchObject({
      name: 'fetchEntry',
      parentSpanContext: { spanId: request?.spanContext().spanId },
    });
    const [read] = statements.filter(({ attributes }) => String(attributes['db.query.text']).includes('FROM entries'));
    expect(read?.parentSpanContext?.spanId).toBe(operation?.spanContext().spanId);
    expect(read).toMatchObject({
      name: 'SELECT',
      attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT', 'db.response.returned_rows': 1 },
    });
    expect(spans.map((span) => span.spanContext().traceId)).toEqual(spans.map(() => remote.traceId));
  });

  test('each statement has one span: those of a transaction, and those that are not on entries', async () => {
    const ask = as(app, { token: site.master });
    const body = { title: 'Written', note: 'a value that no span has' };
    const headers = { 'Idempotency-Key': 'traced' };
    const spans = await spansOf((given) =>
      ask.rest('POST', '/channels/articles/entries', { body, headers: { ...headers, ...given } }),
    );
    const texts = ofKind(spans, SpanKind.CLIENT).map(({ attributes }) => String(attributes['db.query.text']));
    expect(texts.filter((text) => text.includes('entryway_create_entry('))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('INSERT INTO idempotency_keys'))).toHaveLength(1);
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toMatch(
      /a value that no span has|Written|ew_/,
    );
    const listed = await spansOf((given) => ask.rest('GET', '/customers', { headers: given }));
    const [operation] = ofKind(listed, SpanKind.INTERNAL);
    const [statement] = ofKind(listed, SpanKind.CLIENT).slice(-1);
    expect(statement?.parentSpanContext?.spanId).toBe(operation?.spanContext().spanId);
    expect(statement?.attributes['db.query.text']).toContain('customers');
  });

  test('each field of a document has the span of its operation, and each operation of a bulk too', async () => {
    const ask = as(app, { token: site.master });
    const document = '{ a: entry(channel: "articles", id: "one") { id } b: channels { id } }';
    const fields = await spansOf((headers) => ask.gql(document, {}, { headers }));
    expect(ofKind(fields, SpanKind.SERVER)).toMatchObject([{ name: 'POST /graphql' }]);
    expect(
      ofKind(fields, SpanKind.INTERNAL)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['fetchEntry', 'listChannels']);
    const operations = [
      { op: 'create', data: {} },
      { op: 'update', id: 'one', data: { title: 'Two' } },
    ];
    const parts = await spansOf((headers) =>
      ask.rest('POST', '/channels/articles/entries/bulk', { body: { operations }, headers }),
    );
    const names = ofKind(parts, SpanKind.INTERNAL).map(({ name }) => name);
    expect(names.sort()).toEqual(['bulkEntries', 'createEntries', 'createEntry', 'updateEntry']);
  });

  test('a refusal’s span has the type of its error, and is no failure of the service', async () => {
    const ask = as(app, { token: site.public });
    const spans = await spansOf((headers) => ask.rest('GET', '/channels/articles/entries/none', { headers }));
    const [operation] = ofKind(spans, SpanKind.INTERNAL);
    expect(operation).toMatchObject({
      attributes: { 'error.type': 'not_found' },
      status: { code: SpanStatusCode.UNSET },
    });
    const [request] = ofKind(spans, SpanKind.SERVER);
    expect(request).toMatchObject({
      attributes: { 'http.response.status_code': 404 },
      status: { code: SpanStatusCode.UNSET },
    });
  });

  test('the span of an unknown path has the pattern that the metrics have', async () => {
    const spans = await spansOf((headers) => as(app).rest('GET', '/no/such/path', { headers }));
    expect(ofKind(spans, SpanKind.SERVER)).toMatchObject([
      { name: 'GET unknown', attributes: { 'http.response.status_code': 404 } },
    ]);
  });

  test('work that belongs to no request, such as a heartbeat, has no span', async () => {
    exporter.reset();
    await app.database.ping();
    await app.database.prisma.site.count();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  test('work that outlives its request, such as a timer, has no span after its end', async () => {
    const behind = await new Promise<() => Promise<number>>((resolve) => {
      runInRequestSpan({ method: 'POST', headers: {} }, (span) => {
        resolve(AsyncResource.bind(() => app.database.prisma.site.count().then((count) => count)));
        span?.end();
      });
    });
    exporter.reset();
    expect(await behind()).toBeGreaterThan(0);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
