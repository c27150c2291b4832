// Holds every answer of REST that a service in this process gives, and the request that it is to, to the OpenAPI document of the
// caller. The channels of the document are those that the service looked up for the request, as they were then.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { Directory } from '../../../src/auth/directory.ts';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { hasRules } from '../../../src/fields/narrowed.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { HttpRequest } from '../../../src/http/messages.ts';
import { isKnown } from '../../../src/resolvers/knownChannels.ts';
import type { KnownChannel } from '../../../src/management/channels/describe.ts';
import { Documents } from '../../../src/features/typed/openapi/document.ts';
import { routes } from '../../../src/features.ts';
import type { Caller, CallerKind, SetBy } from '../../../src/rules/callers.ts';
import { siteRights } from '../../../src/rules/rights.ts';
import type { Exchange } from '../watch/exchange.mjs';
import { judgeAnswers } from '../watch/index.mjs';
import { DocumentCheck } from './check.ts';

/** The channels that were looked up for a request. */
type LookedUp = Channel[];

const requests = new AsyncLocalStorage<LookedUp>();
const started = 'http.server.request.start';
/** Node's own modules are the same for all test files of a process: what the last one did is undone. */
const last = Symbol.for('entryway.test.openapi');
let isHolding = false;

/** Begins, once for a test file. */
export function holdToDocument(): void {
  if (isHolding) return;
  isHolding = true;
  const server = Server as unknown as Record<symbol, (() => void) | undefined>;
  server[last]?.();
  const onStart = (message: unknown): void => {
    if ((message as { request: unknown }).request instanceof HttpRequest) requests.enterWith([]);
  };
  subscribe(started, onStart);
  server[last] = () => unsubscribe(started, onStart);
  const look = Reflect.get(Directory.prototype, 'channel');
  Directory.prototype.channel = async function channel(this: Directory, siteId, id) {
    const row = await look.call(this, siteId, id);
    if (row !== null) requests.getStore()?.push(row);
    return row;
  };
  judgeAnswers((exchange) => {
    const looked = requests.getStore();
    return looked === undefined ? [] : findingsIn(exchange, [...looked]);
  });
}

const documents = new Documents(() => routes);
const checks = new Map<string, Promise<DocumentCheck>>();

/** The check of a document. It is kept, because most tests have the same few. */
async function checkOf(kind: CallerKind | null, channels: readonly KnownChannel[]): Promise<DocumentCheck> {
  const key = JSON.stringify([kind, channels]);
  const kept = checks.get(key);
  if (kept !== undefined) return kept;
  // What a member may manage, and set, is not looked up here.
  const ofCaller = { rights: siteRights, scopes: null, settable: new Set<SetBy>(), settableKey: () => '' };
  const known = kind && { kind, ...ofCaller, version: key, load: () => Promise.resolve(channels) };
  const making = documents
    .describe(known, 'http://localhost')
    .write()
    .then((text) => new DocumentCheck(text ?? ''));
  checks.set(key, making);
  return making;
}

/** Paths that are none of REST. */
const otherPaths = /^\/(?:(?:graphql|command|pages|docs|console|auth|me\/(?:sign-ins|tokens))(?:[/?]|$)|\?|$)/;

async function findingsIn(exchange: Exchange, looked: readonly Channel[]): Promise<string[]> {
  const [path = ''] = exchange.url.split('?', 1);
  // What cannot be read as a path of this service is refused in the one form.
  if (otherPaths.test(path) || !path.startsWith('/')) return [];
  const kind = kindOf(exchange);
  const own = /^\/channels\/([^/]+)\/entries/.exec(path)?.[1];
  // The fields of a channel with rules depend on the caller's roles, which are not looked up here: any channel's answers fit.
  const rows = latestRows(looked).filter(
    (row) => kind !== null && isKnown(row, callerOf(kind, exchange)) && !hasRules(row.fields),
  );
  const check = await checkOf(
    kind,
    rows.map((row) => renamed(row, rows)),
  );
  const index = rows.findIndex(({ id }) => id === own);
  const isStored = exchange.headers.some(([name]) => name.toLowerCase() === 'idempotent-replayed');
  // A preview reads with the sight of its actor, to whom the channel may not exist.
  const isPreview = /[?&]as=/.test(exchange.url);
  const described =
    index === -1 || isStored || isPreview ? path : path.replace(`/channels/${own}/`, `/channels/${nameOf(index)}/`);
  return isSampled(check, exchange, described) ? check.findingsIn(exchange, described) : [];
}

/** Of exchanges on one route with one status and one document, so many are judged; of those that follow, each fourth. */
const judgedFirst = 50;
const judgedLater = 4;
const counts = new WeakMap<DocumentCheck, Map<string, number>>();

/** Whether an exchange is judged. A test that asks the same many times over would spend a tenth of its time here. */
function isSampled(check: DocumentCheck, { method, status }: Exchange, path: string): boolean {
  const seen = counts.get(check) ?? new Map<string, number>();
  counts.set(check, seen);
  const route = `${method} ${status} ${path.replace(/(\/entries|\/customers|\/sessions|\/tokens|\/webhooks|\/members|\/roles|\/invitations)\/[^/]+/, '$1/*')}`;
  const count = seen.get(route) ?? 0;
  seen.set(route, count + 1);
  return count < judgedFirst || count % judgedLater === 0;
}

/** The caller of a request, whose customer may be anybody: the scopes of a channel tell no customers apart. */
function callerOf(kind: CallerKind, { requestHeaders }: Exchange): Caller {
  const isSession = ([name, value]: readonly [string, string]): boolean =>
    /^(?:x-service-)?session-token$/i.test(name) && value !== '';
  return { kind, customer: requestHeaders.some(isSession) ? { id: 'anybody', roles: [] } : null, scopes: null };
}

/** Each channel once, as it was looked up last. */
function latestRows(looked: readonly Channel[]): Channel[] {
  return [...new Map(looked.map((row) => [row.id, row])).values()];
}

function nameOf(index: number): string {
  return `c${index}`;
}

/** A channel under a name that does not depend on the test, so that the document of equal channels is made once. */
function renamed({ id, fields }: Channel, rows: readonly Channel[]): KnownChannel {
  const index = (wanted: string | null): number => rows.findIndex((row) => row.id === wanted);
  const definitions = (fields as unknown as FieldDefinition[]).map((each) => ({
    ...each,
    channel: index(each.channel) === -1 ? null : nameOf(index(each.channel)),
  }));
  return {
    id: nameOf(index(id)),
    publishable: true,
    name: 'A channel',
    typeName: null,
    fields: definitions as unknown as Channel['fields'],
    settable: new Set(),
  };
}

/** The kind of the token that was sent; null where it is none. */
function kindOf({ requestHeaders }: Exchange): CallerKind | null {
  const sent = requestHeaders.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const [, kind] = /\bew_(master|public|user)_/.exec(sent) ?? [];
  return (kind as CallerKind | undefined) ?? null;
}
