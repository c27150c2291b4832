// Readers of streams who see the same share what is read for them (docs/contract.md §9.2). Hundreds of them, of all kinds, are told
// under random writes what a plain GET /changes tells each from the same cursor, and nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { as, type Caller, type Credentials } from '../../support/as.ts';
import { buildCustomer, buildToken } from '../../support/build.ts';
import { openEvents, type EventReader } from '../../support/eventStream.ts';
import { expectEntry } from '../../support/expect.ts';
import type { ChangeActor } from '../../support/feed.ts';
import { seeded, type Random } from '../../support/random.ts';
import { buildCallers, buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', STREAMS_PER_TOKEN: '1000' });
/** How many readers of each kind there are. */
const equals = 3;
const writesOfPhase = 12;
/** How often is asked until all have got what they get. */
const maxAsked = 20;

interface Change {
  readonly cursor: string;
  readonly type: string;
  readonly id: string | null;
  /** Absent for public tokens. */
  readonly actor?: ChangeActor | null;
  readonly entry?: { readonly title?: string; readonly _acl?: unknown } | null;
}

/** A stream, and what a plain request for the same asks. */
interface Reader {
  readonly name: string;
  readonly caller: Caller;
  /** A path with a query. */
  readonly from: string;
  readonly stream: EventReader;
  readonly read: () => Change[];
  /** What the phase begins behind, and how many changes had come by then. */
  cursor: string;
  had: number;
}

const readers: Reader[] = [];
afterEach(() => {
  for (const { stream } of readers.splice(0)) stream.close();
});

const paths = [
  '/changes?limit=1000',
  '/changes?limit=1000&types=entry.created,entry.removed,channel.updated',
  '/changes?limit=1000&include=entry',
  '/channels/articles/changes?limit=1000&include=entry',
  '/changes?limit=1000&use_acl=true&include=entry',
];
const document = `subscription ($after: String) { changes(after: $after) {
  cursor type at channel id version actor { kind token user customer name } } }`;

/** A change of GraphQL in REST's form, which has no author for public tokens, and writes kinds in lower case. */
function asOverRest({ actor, ...change }: Change): Change {
  if (!actor) return change;
  return { ...change, actor: { ...actor, kind: actor.kind.toLowerCase() as ChangeActor['kind'] } };
}

async function openAll(name: string, credentials: Credentials): Promise<void> {
  const caller = as(app, credentials);
  const open = async (from: string, isGraphql = false): Promise<void> => {
    const { body } = await caller.rest<{ cursor: string }>('GET', `${from}&after=now`);
    const path = `${from.replace('limit=1000&', '').replace('limit=1000', '')}&after=${body.cursor}`;
    const asked = { query: document, variables: { after: body.cursor } };
    const stream = isGraphql
      ? await openEvents(app, '/graphql/stream', credentials, {}, 'POST', asked)
      : await openEvents(app, path.replace('?&', '?'), credentials);
    expect([name, from, stream.status]).toEqual([name, from, 200]);
    const parse = (data: string): Change[] => {
      if (!isGraphql) return [JSON.parse(data) as Change];
      return [(JSON.parse(data) as { data?: { changes: Change } }).data?.changes ?? []].flat().map(asOverRest);
    };
    const read = (): Change[] =>
      stream.blocks.flatMap(({ event, data }) => (event === 'problem' || !data ? [] : parse(data)));
    readers.push({ name, caller, from, stream, read, cursor: body.cursor, had: 0 });
  };
  const each = Array.from({ length: equals });
  await Promise.all(each.flatMap(() => paths.map((from) => open(from))));
  await Promise.all(each.map(() => open('/changes?limit=1000', true)));
}

const scopes = ['public', 'shared', 'private', 'none'];
const lists = [{}, { '*': { read: false } }, { users: { read: true } }, { 'role:editor': { read: true } }];
const acls = [...lists, { ada: { read: true } }, { 'role:editor': { read: false } }, { '*': { read: true } }];

/** One write that may be refused, or change nothing that somebody sees. */
async function writeSomething(random: Random, master: Caller, ids: string[]): Promise<void> {
  const path = '/channels/articles/entries';
  const members = {
    _acl: random.pick<object>(acls),
    _owner: random.pick([null, 'ada', 'bob', 'eve']),
    _status: random.pick(['draft', 'published', 'published']),
  };
  const id = ids.length === 0 ? null : random.pick(ids);
  if (random.chance(0.1)) {
    const body = random.pick<object>([{ acl: { read: random.pick(scopes) } }, { name: `Name ${random.upTo(99)}` }]);
    await master.rest('PATCH', '/channels/articles?confirm=articles', { body });
  } else if (id === null || random.chance(0.5)) {
    const body = { title: `Title ${random.upTo(999)}`, link: id, ...members };
    const { status, body: created } = await master.rest<{ id: string }>('POST', path, { body });
    if (status === 201) ids.push(created.id);
  } else if (random.chance(0.2)) await master.rest('DELETE', `${path}/${id}`);
  else await master.rest('PATCH', `${path}/${id}`, { body: { title: `Title ${random.upTo(999)}`, ...members } });
}

/** An entry that everybody sees. */
async function writeShown(master: Caller, title: string): Promise<string> {
  const body = { title, _acl: { '*': { read: true } }, _status: 'published' };
  return expectEntry(await master.rest('POST', '/channels/articles/entries', { body }), 201).id;
}

/** What comes to be true. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

const withoutEntry = ({ entry: _, ...change }: Change): Change => change;
const sameEntry = (change: Change): Change => change;

/** What a plain request tells each kind of reader of the phase: equal ones are asked for once. */
async function askAll(live: readonly Reader[]): Promise<Map<Reader, Change[]>> {
  const asked = new Map<string, Promise<Change[]>>();
  const told = new Map<Reader, Promise<Change[]>>();
  for (const reader of live) {
    const { name, from, caller, cursor } = reader;
    const ask = async (): Promise<Change[]> =>
      (await caller.rest<{ changes: Change[] }>('GET', `${from}&after=${cursor}`)).body.changes;
    const key = `${name} ${from}`;
    const answer = asked.get(key) ?? ask();
    asked.set(key, answer);
    told.set(reader, answer);
  }
  return new Map(await Promise.all([...told].map(async ([reader, answer]) => [reader, await answer] as const)));
}

/** Compares what has come in this phase with what a plain request tells, and begins the next one. */
async function compareAll(live: readonly Reader[], marker: string, show: (change: Change) => Change): Promise<void> {
  const came = (reader: Reader): Change[] => reader.read().slice(reader.had);
  await until(() => live.every((reader) => came(reader).some(({ id }) => id === marker)));
  let told = await askAll(live);
  const isSame = (): boolean => live.every((reader) => came(reader).length === told.get(reader)?.length);
  // A changed scope may be recorded in the background.
  for (let asked = 1; asked < maxAsked && !isSame(); asked += 1) {
    await sleep(100);
    told = await askAll(live);
  }
  for (const reader of live) {
    const { name, from } = reader;
    const changes = came(reader).map(show);
    expect({ name, from, changes }).toEqual({ name, from, changes: (told.get(reader) ?? []).map(show) });
    reader.cursor = changes.at(-1)?.cursor ?? reader.cursor;
    reader.had += changes.length;
  }
}

async function buildWorld(): Promise<{ scene: Scene; end: () => Promise<unknown> }> {
  const scene = await buildScene(app, { publishable: true, readScope: 'public' });
  const fields = [
    { name: 'title', type: 'string' },
    { name: 'link', type: 'reference', channel: 'articles' },
  ];
  await scene.master.rest('PATCH', '/channels/articles', { body: { fields } });
  const callers = await buildCallers(scene);
  for (const [name, credentials] of Object.entries(callers)) await openAll(name, credentials);
  const { session } = await buildCustomer(scene.db, scene.site.id, { id: 'eve', roles: ['editor'] });
  await openAll('eve', { token: scene.site.public, session });
  const doomed = await buildToken(scene.db, { kind: 'public', siteId: scene.site.id });
  await openAll('doomed', { token: doomed.token });
  const end = (): Promise<unknown> =>
    scene.db.token.update({ where: { id: doomed.id }, data: { revokedAt: new Date() } });
  return { scene, end };
}

/** Writes until the streams of eve are told what editors see, or are not any more: new roles hold within a second. */
async function awaitRole(master: Caller, isEditor: boolean): Promise<void> {
  const waiting = readers.filter(({ name }) => name === 'eve');
  const has = (id: string) => (reader: Reader) => reader.read().some((change) => change.id === id);
  const _acl = { '*': { read: false }, users: { read: false }, 'role:editor': { read: true } };
  await until(async () => {
    const body = { title: 'For editors', _acl, _status: 'published' };
    const { id } = expectEntry(await master.rest('POST', '/channels/articles/entries', { body }), 201);
    const shown = await writeShown(master, 'For everybody');
    await until(() => waiting.every(has(shown)));
    return waiting.every((reader) => has(id)(reader) === isEditor);
  });
  for (const reader of waiting) {
    reader.had = reader.read().length;
    reader.cursor = reader.read().at(-1)?.cursor ?? reader.cursor;
  }
}

test('198 readers of eleven kinds each get the changes that they would get alone, while rights and roles change', async () => {
  const { scene, end } = await buildWorld();
  const { master } = scene;
  const seed = Number(process.env['SEED'] ?? Date.now() % 1e9);
  const random = seeded(seed);
  const ids: string[] = [];
  for (const roles of [null, [], ['author', 'editor']]) {
    if (roles !== null) {
      await master.rest('PATCH', '/customers/eve', { body: { roles } });
      await awaitRole(master, roles.includes('editor'));
    }
    const live = readers.filter(({ name }) => name !== 'doomed');
    for (let at = 0; at < writesOfPhase; at += 1) {
      await writeSomething(random, master, ids);
      if (roles?.length === 0 && at === 6) await end();
    }
    await compareAll(live, await writeShown(master, `Seed ${seed}`), withoutEntry);
  }
  const doomed = readers.filter(({ name }) => name === 'doomed');
  for (const { stream, from, read } of doomed) {
    await stream.ended;
    expect(stream.blocks.some(({ data }) => data?.toLowerCase().includes('unauthenticated'))).toBe(true);
    // Until then it was told what other visitors were.
    const others = readers.find((other) => other.name === 'public' && other.from === from);
    const seen = read().map(withoutEntry);
    expect(seen).toEqual(others?.read().map(withoutEntry).slice(0, seen.length));
  }
  // One write after the other: now entries are as they were when they were read, too.
  const live = readers.filter(({ name }) => name !== 'doomed');
  for (let at = 0; at < 3; at += 1) {
    await writeSomething(random, master, ids);
    await compareAll(live, await writeShown(master, `Last ${at}`), sameEntryIfUnchanged(live));
  }
});

/** Shows an entry only where nothing has changed it in the same phase. */
function sameEntryIfUnchanged(live: readonly Reader[]): (change: Change) => Change {
  const longest = live.filter(({ name }) => name === 'master').flatMap((reader) => reader.read().slice(reader.had));
  const counts = new Map<string, Set<string>>();
  for (const { id, cursor } of longest) counts.set(id ?? '', (counts.get(id ?? '') ?? new Set()).add(cursor));
  return (change) => ((counts.get(change.id ?? '')?.size ?? 0) > 2 ? withoutEntry(change) : sameEntry(change));
}

test('long polls have the answers of plain requests, and each visitor has its own cursor', async () => {
  const scene = await buildScene(app, { publishable: true, readScope: 'public' });
  const { body: start } = await scene.visitor.rest<{ cursor: string }>('GET', '/changes?after=now');
  const wait = { headers: { Prefer: 'wait=60' } };
  const ask = (): Promise<{ body: { changes: Change[]; cursor: string } }> =>
    scene.visitor.rest<{ changes: Change[]; cursor: string }>('GET', `/changes?after=${start.cursor}`, wait);
  const waiting = Array.from({ length: 30 }, ask);
  await sleep(200);
  await writeShown(scene.master, 'Shown');
  const answers = await Promise.all(waiting);
  const { body } = await scene.visitor.rest<{ changes: Change[] }>('GET', `/changes?after=${start.cursor}`);
  for (const answer of answers) expect(answer.body.changes).toEqual(body.changes);
  const cursors = answers.map(({ body: { cursor } }) => cursor);
  expect(new Set(cursors).size).toBe(30);
  for (const cursor of cursors.slice(0, 3)) {
    const next = await scene.visitor.rest<{ changes: Change[] }>('GET', `/changes?after=${cursor}`);
    expect(isDeepStrictEqual(next.body.changes, [])).toBe(true);
  }
});
