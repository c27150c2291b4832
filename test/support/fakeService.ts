// A service of one channel in memory that keeps the contract as far as import and export rely on it, and whose answers a
// test can spoil: for faults that the real one can't be made to have at a given moment.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FakeEntry = Record<string, unknown> & { id: string; slug: string; updated_at: string };

export interface FakeField {
  readonly name: string;
  readonly type: string;
}

/** What becomes of a request in place of what it asks for; `lose` does it, and takes the answer away. */
export type Spoiling = { status: number; headers?: Record<string, string> } | 'lose' | 'cut' | null;

export interface FakeService {
  readonly url: string;
  readonly entries: Map<string, FakeEntry>;
  /** The fields of the channel "films"; null: there is no channel. */
  fields: FakeField[] | null;
  /** What createChannel was asked for. */
  created: unknown;
  /** Asked before each bulk request, with how many came before. */
  spoil: (count: number) => Spoiling | Promise<Spoiling>;
  /** Bulk requests: their keys, and how many operations they held. */
  readonly bulks: { key: string; operations: number; bytes: number }[];
  /** How many values each look-up asked for. */
  readonly lookUps: number[];
  readonly mostInFlight: () => number;
  /** Stops listening and cuts all connections; what is stored stays. */
  readonly stop: () => Promise<void>;
  /** Listens again where it did. */
  readonly restart: () => Promise<void>;
}

export const fakeToken = `ew_master_${'fake'.repeat(10)}`;

interface Operation {
  readonly op: string;
  readonly id?: string;
  readonly data?: Record<string, unknown>;
}

/** Starts one on a free port. */
export async function startFake(fields: FakeField[] | null = []): Promise<FakeService> {
  const answered = new Map<string, { body: string; answer: string }>();
  let server: Server;
  let port = 0;
  let [inFlight, mostInFlight] = [0, 0];
  const listen = async (): Promise<void> => {
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const url = new URL(request.url ?? '', 'http://localhost');
    if (request.headers.authorization !== `Bearer ${fakeToken}`) send(response, 401, { detail: 'Who?' });
    else if (url.pathname === '/graphql') send(response, 200, graphql(fake, body));
    else if (request.method === 'GET') list(fake, url, response);
    else {
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await bulk(request, response, body);
      inFlight -= 1;
    }
  };
  const bulk = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const key = String(request.headers['idempotency-key']);
    const { operations } = JSON.parse(body) as { operations: Operation[] };
    fake.bulks.push({ key, operations: operations.length, bytes: Buffer.byteLength(body) });
    const spoiling = await fake.spoil(fake.bulks.length - 1);
    if (spoiling === 'cut') return void request.socket.destroy();
    if (spoiling !== null && spoiling !== 'lose') {
      send(response, spoiling.status, {}, spoiling.headers);
      return;
    }
    const before = answered.get(key);
    if (before && before.body !== body) {
      send(response, 422, { detail: 'Another body under this key.' });
      return;
    }
    const text = before?.answer ?? JSON.stringify({ results: operations.map((each) => carryOut(fake, each)) });
    answered.set(key, { body, answer: text });
    if (spoiling === 'lose') return void request.socket.destroy();
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
  };
  const fake: FakeService = {
    url: '',
    entries: new Map(),
    fields,
    created: null,
    spoil: () => null,
    bulks: [],
    lookUps: [],
    mostInFlight: () => mostInFlight,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    restart: listen,
  };
  await listen();
  return Object.assign(fake, { url: `http://127.0.0.1:${port}` });
}

/** Titles that begin with "refused" are refused. */
function carryOut({ entries }: FakeService, { op, id, data = {} }: Operation): unknown {
  if (String(data['title']).startsWith('refused')) {
    const errors = [{ field: 'title', code: 'invalid', message: 'does not do' }];
    return { status: 422, error: { code: 'validation_failed', detail: 'The title does not do.', errors } };
  }
  const now = new Date().toISOString();
  if (op === 'create') {
    const entry = { slug: `entry-${entries.size}`, ...data, id: randomUUID(), created_at: now, updated_at: now };
    entries.set(entry.id, entry);
    return { status: 201, entry };
  }
  const old = entries.get(id ?? '');
  if (!old) return { status: 404, error: { code: 'not_found', detail: 'There is no such entry.' } };
  const isSame = Object.entries(data).every(([name, value]) => JSON.stringify(old[name]) === JSON.stringify(value));
  const entry = { ...old, ...data, updated_at: isSame ? old.updated_at : `${now}+` };
  entries.set(old.id, entry);
  return { status: 200, entry };
}

function graphql(fake: FakeService, body: string): unknown {
  const { query, variables } = JSON.parse(body) as { query: string; variables: { input?: { fields: FakeField[] } } };
  if (query.startsWith('mutation')) {
    fake.created = variables.input;
    fake.fields = variables.input?.fields ?? [];
    return { data: { createChannel: { id: 'films' } } };
  }
  if (!fake.fields) {
    return { data: { channel: null }, errors: [{ message: 'None.', extensions: { code: 'NOT_FOUND' } }] };
  }
  const blank = { required: false, unique: false, indexed: false, default: null, options: null, channel: null };
  const unbounded = { label: null, hint: null, min: null, max: null, pattern: null, message: null };
  const fields = fake.fields.map((field) => ({ ...blank, ...unbounded, ...field, type: field.type.toUpperCase() }));
  return { data: { channel: { id: 'films', fields } } };
}

const pageSize = 250;

function list({ entries, lookUps }: FakeService, { searchParams }: URL, response: ServerResponse): void {
  const filter = [...searchParams].find(([name]) => name.endsWith('.in'));
  const field = filter?.[0].slice(0, -'.in'.length) ?? '';
  const wanted = new Set(filter ? valuesIn(filter[1]) : []);
  if (filter) lookUps.push(wanted.size);
  const found = [...entries.values()].filter((entry) => !filter || wanted.has(String(entry[field])));
  const from = Number(searchParams.get('cursor') ?? 0);
  const next = from + pageSize;
  const more = next < found.length ? { 'X-Next-Cursor': String(next) } : {};
  send(response, 200, found.slice(from, next), more);
}

/** A comma list whose values may stand in double quotes. */
function valuesIn(text: string): string[] {
  return [...text.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
