// The routes of entries in REST, each with every kind of caller: what test/once/doors/doors.ts says of them is so.
import { describe, expect, test } from '@jest/globals';
import type { EntryRow } from '../../../src/entries/row.ts';
import { routes } from '../../../src/features.ts';
import { type TestApp } from '../../support/app.ts';
import { buildEntries, kinds, names, rights, stateOf, type Name, type Sites } from '../../support/sites.ts';
import { httpTable } from './doors.ts';
import { suiteSites } from '../../support/scene.ts';

/** What came of asking for something: a status, and the entries of the first site and of the other that were told. */
interface Outcome {
  readonly status: number;
  readonly here: readonly string[];
  readonly there: number;
}

type Ask = (sites: Sites, kind: string) => Promise<Outcome | Record<Name, number>>;

const path = '/channels/articles/entries';

/** Lists. A caller of the other site finds its one article there. */
const list: Ask = async ({ ask }, kind) => {
  const { status, body } = await ask(kind).rest<{ slug: string; url: string }[] | object>('GET', path);
  const slugs = Array.isArray(body) ? body.map(({ slug }: { slug: string }) => slug).sort() : [];
  return { status, here: slugs.filter((slug) => slug !== 'theirs'), there: slugs.filter((s) => s === 'theirs').length };
};

/** A count has no names: it stands for as many of those that the caller may see. */
const count: Ask = async ({ ask }, kind) => {
  const { status, body } = await ask(kind).rest<{ count?: number }>('GET', `${path}/count`);
  const isTheirs = kind === 'elsewhere';
  const counted = body.count ?? 0;
  const { reads = [] } = rights[kind] ?? {};
  const here = isTheirs ? [] : counted === reads.length ? reads : [`${counted} entries`];
  return { status, here, there: isTheirs ? counted : 0 };
};

/** The feed: the entries whose changes are told of, by their ids. */
const feed =
  (from: string): Ask =>
  async ({ ask, entries, theirs }, kind) => {
    const { status, text } = await ask(kind).rest('GET', `${from}?limit=1000`);
    const here = names.filter((name) => text.includes(`"id":"${entries[name].id}"`));
    return { status, here, there: Number(text.includes(`"id":"${theirs.id}"`)) };
  };

/** What a create came to: where the entry is that was answered. */
async function created({ app, here, there }: Sites, status: number, id: unknown): Promise<Outcome> {
  const isIn = async (siteId: string): Promise<boolean> => {
    const where = { siteId_id: { siteId, id: String(id) } };
    return status === 201 && (await app.database.prisma.entry.findUnique({ where })) !== null;
  };
  return { status, here: (await isIn(here.site.id)) ? names : [], there: Number(await isIn(there.site.id)) };
}

const create: Ask = async (at, kind) => {
  const { status, body } = await at.ask(kind).rest('POST', '/channels/forms/entries', { body: { title: kind } });
  return created(at, status, body['id']);
};

/** A bulk request is answered; what its one operation came to is what a request of its own would. */
const bulk: Ask = async (at, kind) => {
  const body = { operations: [{ op: 'create', data: { title: kind } }] };
  const answer = await at.ask(kind).rest<{ results?: Single[] }>('POST', '/channels/forms/entries/bulk', { body });
  const [single] = answer.body.results ?? [];
  return created(at, single?.status ?? answer.status, single?.entry?.id);
};

interface Single {
  readonly status: number;
  readonly entry?: { readonly id: string };
}

/** One request for each entry: of the articles, or where it writes of forms that are made for it. */
const each =
  (method: string, body?: object, tail = '', changes = (_name: Name): boolean => true): Ask =>
  async ({ app, ask, here, entries }, kind) => {
    const writes = method !== 'GET';
    const rows = writes ? await buildEntries(app, here.forms) : entries;
    const statuses = {} as Record<Name, number>;
    for (const name of names) {
      const address = `/channels/${writes ? 'forms' : 'articles'}/entries/${rows[name].id}${tail}`;
      const answer = await ask(kind).rest(method, address, body ? { body } : {});
      statuses[name] = answer.status;
      if (writes) await expectWritten(app, rows[name], answer.status, changes(name));
    }
    return statuses;
  };

/** What was answered with a success was done, and nothing else. */
async function expectWritten(
  { database }: TestApp,
  { siteId, id }: EntryRow,
  status: number,
  changes: boolean,
): Promise<void> {
  const row = await database.prisma.entry.findUnique({ where: { siteId_id: { siteId, id } } });
  expect([status, row?.version]).toEqual([status, status === 200 && changes ? 2 : status === 204 ? undefined : 1]);
}

const asks: Record<string, Ask> = {
  'GET /channels/:channel/entries': list,
  'GET /channels/:channel/entries/count': count,
  'GET /channels/:channel/changes': feed('/channels/articles/changes'),
  'GET /changes': feed('/changes'),
  'POST /channels/:channel/entries': create,
  'POST /channels/:channel/entries/bulk': bulk,
  'GET /channels/:channel/entries/:entry': each('GET'),
  'GET /channels/:channel/entries/:entry/access': each('GET', undefined, '/access?as=anonymous'),
  'PUT /channels/:channel/entries/:entry': each('PUT', { note: 'new' }),
  'PATCH /channels/:channel/entries/:entry': each('PATCH', { note: 'new' }),
  'DELETE /channels/:channel/entries/:entry': each('DELETE'),
  'POST /channels/:channel/entries/:entry/publish': each('POST', { entry: { note: 'new' } }, '/publish'),
  // A draft stays as it is.
  'POST /channels/:channel/entries/:entry/unpublish': each('POST', {}, '/unpublish', (name) => name !== 'draft'),
};

const { sites } = await suiteSites();

/** Success of a method. */
const successes: Record<string, number> = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204, OPTIONS: 204 };

/** What a cell says, as what it is asked for must come to. */
function expected(door: string, kind: string, cell: string, collective: boolean): unknown {
  const method = door.split(' ')[0] ?? '';
  const writes = method !== 'GET';
  const { reads = [], writes: written = [] } = rights[kind] ?? {};
  const publishes = door.endsWith('publish');
  const done = publishes ? 200 : (successes[method] ?? 0);
  // These are refused before anything is looked up.
  const isClosed = publishes && !kind.startsWith('master') && kind !== 'user' && kind !== 'elsewhere';
  if (collective) {
    if (/^\d/.test(cell)) return { status: Number(cell), here: [], there: 0 };
    if (cell === 'own') return { status: done, here: [], there: 1 };
    return { status: done, here: cell === 'yes' ? names : reads, there: 0 };
  }
  const allowed: readonly string[] = cell === 'yes' ? names : cell === 'part' ? (writes ? written : reads) : [];
  const refused = (name: Name): number => {
    const isRefusal = /^\d/.test(cell);
    if (isRefusal && (isClosed || !(cell === '403' && writes && reads.length > 0))) return Number(cell);
    return writes && reads.includes(name) ? 403 : 404;
  };
  return Object.fromEntries(names.map((name) => [name, allowed.includes(name) ? done : refused(name)]));
}

describe.each(Object.entries(asks))('%s', (door, ask) => {
  test.each(kinds)('the route of entries answers %s as the table of doors says, for each entry', async (kind) => {
    const cell = httpTable.get(door)?.[kind] ?? '';
    const before = await stateOf(sites, sites.there);
    const outcome = await ask(sites, kind);
    expect([cell, outcome]).toEqual([cell, expected(door, kind, cell, 'status' in outcome)]);
    if (cell !== 'own') expect(await stateOf(sites, sites.there)).toBe(before);
  });
});

test('each route of entries and changes has a test', () => {
  const own = routes.filter(({ path: each }) => /\/(entries|changes)\b/.test(each));
  expect(Object.keys(asks).sort()).toEqual(own.map(({ method, path }) => `${method} ${path}`).sort());
});

test.each(kinds)('HEAD answers %s like GET, without a body', async (kind) => {
  for (const tail of ['', '/count', `/${sites.entries.draft.id}`]) {
    const [get, head] = [
      await sites.ask(kind).rest('GET', path + tail),
      await sites.ask(kind).rest('HEAD', path + tail),
    ];
    expect([tail, head.status, head.text]).toEqual([tail, get.status, '']);
  }
});
