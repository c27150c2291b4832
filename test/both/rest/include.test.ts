// `include`: whole entries in the place of references (docs/contract.md §5), each as its reader may see it.
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectEntry, type RestEntry } from '../../support/expect.ts';
import { articleNames, insiders, readsOf, stubOf, suiteLibrary } from '../../support/library.ts';
import { rights } from '../../support/sites.ts';

const { app, library } = await suiteLibrary();

const path = '/channels/notes/entries';

async function get(caller: Caller, address: string): Promise<RestEntry> {
  return expectEntry(await caller.rest('GET', address));
}

describe('an embedded entry is what a fetch of it gives the caller', () => {
  test.each(insiders)('an embedded entry equals a fetch of it by %s', async (kind) => {
    const { ask, articles, note } = library;
    const caller = ask(kind);
    const reads = readsOf(kind);
    for (const name of articleNames) {
      const { id } = await note(name);
      const whole = await Promise.all(
        reads.map((each) => get(caller, `/channels/articles/entries/${articles[each].id}`)),
      );
      const one = whole[reads.indexOf(name)] ?? null;
      const entry = await get(caller, `${path}/${id}?include=author,links`);
      expect([entry['author'], entry['links']]).toEqual([one, whole]);
      const [listed] = (await caller.rest<RestEntry[]>('GET', `${path}?per_page=1&include=author,links`)).body;
      expect(listed).toEqual(entry);
      const half = await get(caller, `${path}/${id}?include=links`);
      expect(half['author']).toEqual(one && stubOf(articles[name]));
      const managed = whole.filter((each) => '_acl' in each).map(({ slug }) => slug);
      const expected = reads.filter((each) => each === 'later' || rights[kind]?.manages.includes(each));
      expect(managed).toEqual(expected.filter((each) => each !== 'later' || !kind.startsWith('public')));
    }
  });
});

/** Books by people of companies, in channels that refer to themselves too. */
async function buildShelf() {
  const { here } = library;
  const db = app.database.prisma;
  const self = (name: string, channel: string, type: 'reference' | 'references' = 'reference') => ({
    name,
    type,
    channel,
  });
  const title = { name: 'title', type: 'string' } as const;
  const company = await buildChannel(db, here.site.id, { id: 'companies', publishable: true, fields: [title] });
  const people = await buildChannel(db, here.site.id, {
    id: 'people',
    fields: [title, self('company', 'companies'), self('friends', 'people', 'references')],
  });
  const books = await buildChannel(db, here.site.id, {
    id: 'books',
    fields: [title, self('author', 'people'), self('editors', 'people', 'references')],
  });
  return { db, company, people, books };
}

test('50 entries with two embedded levels take one statement for each level and channel, and each is filtered', async () => {
  const { db, company, people, books } = await buildShelf();
  const [shown, draft] = [
    await buildEntry(db, company, { slug: 'shown', data: { title: 'Shown' } }),
    await buildEntry(db, company, { slug: 'draft', data: { title: 'Hidden' }, status: 'draft' }),
  ];
  const closed = await buildEntry(db, people, {
    slug: 'closed',
    acl: { '*': { read: false } },
    data: { company: shown.id },
  });
  for (let index = 0; index < 50; index += 1) {
    const data = { title: `P${index}`, company: index % 2 === 0 ? shown.id : draft.id, friends: [closed.id] };
    const author = await buildEntry(db, people, { data });
    await buildEntry(db, books, { data: { title: `B${index}`, author: author.id, editors: [closed.id, author.id] } });
  }
  const caller = library.ask('public');
  const address = '/channels/books/entries?per_page=50&include=author.company,editors';
  await caller.rest('GET', address);
  app.statements();
  const { status, body, text } = await caller.rest<RestEntry[]>('GET', address);
  const statements = app.statements().filter((statement) => statement.includes('FROM entries e'));
  expect([status, body.length]).toEqual([200, 50]);
  // The page; people of the first level; companies of the second, whose people are among those of the first; nothing below them
  // refers to anything.
  expect(statements).toHaveLength(3);
  const companies = body.map(({ author }) => (author as RestEntry)['company'] as RestEntry | null);
  expect(companies.filter((each) => each === null)).toHaveLength(25);
  expect(companies.find((each) => each !== null)).toEqual(await get(caller, `/channels/companies/entries/${shown.id}`));
  for (const { editors } of body) {
    const [editor, ...others] = editors as RestEntry[];
    expect([others, editor?.['friends'], Object.keys(editor?.['company'] ?? { id: 1 })[0]]).toEqual([[], [], 'id']);
  }
  for (const hidden of [closed.id, draft.id, 'Hidden']) expect(text).not.toContain(hidden);
});

test('entries that refer to each other are embedded to the end of the path', async () => {
  const { here } = library;
  const db = app.database.prisma;
  const fields = [{ name: 'next', type: 'reference', channel: 'ring' } as const];
  const ring = await buildChannel(db, here.site.id, { id: 'ring', fields });
  const one = await buildEntry(db, ring, { slug: 'one' });
  await buildEntry(db, ring, { slug: 'two', data: { next: one.id } });
  await library.ask('master').rest('PATCH', '/channels/ring/entries/one', { body: { next: 'two' } });
  const entry = await get(library.ask('public'), '/channels/ring/entries/one?include=next.next');
  const stub = { channel: 'ring', slug: 'two', title_field_value: null };
  expect(entry).toMatchObject({
    slug: 'one',
    next: { slug: 'two', url: expect.stringMatching(/^http/), next: { slug: 'one', next: stub } },
  });
});

test('an answer embeds at most 1,000 entries, and has stubs for the others', async () => {
  const { here } = library;
  const db = app.database.prisma;
  const target = await buildChannel(db, here.site.id, { id: 'many' });
  const [seen, hidden] = [
    await buildEntry(db, target, { slug: 'seen', data: { more: 1 } }),
    await buildEntry(db, target, { slug: 'hidden', acl: { '*': { read: false } } }),
  ];
  const fields = Array.from({ length: 12 }, (_, index) => ({
    ...({ name: `to_${index}`, type: 'reference', channel: 'many' } as const),
  }));
  const from = await buildChannel(db, here.site.id, { id: 'hub', fields });
  const of = (id: string) => Object.fromEntries(fields.map(({ name }) => [name, id]));
  for (let index = 0; index < 90; index += 1) await buildEntry(db, from, { data: of(seen.id) });
  for (let index = 0; index < 90; index += 1) await buildEntry(db, from, { data: of(hidden.id) });
  const include = fields.map(({ name }) => name).join();
  const { body } = await library
    .ask('public')
    .rest<RestEntry[]>('GET', `/channels/hub/entries?per_page=250&include=${include}`);
  const values = body.flatMap((entry) => fields.map(({ name }) => entry[name] as RestEntry | null));
  const counted = [null, 'stub', 'whole'].map(
    (kind) => values.filter((each) => (each === null ? null : 'more' in each ? 'whole' : 'stub') === kind).length,
  );
  expect(counted).toEqual([1080, 80, 1000]);
});

test('links to other pages keep `include`, and `only` keeps its named members', async () => {
  for (let index = 0; index < 2; index += 1) await library.note('open');
  const { headers, body } = await library
    .ask('public')
    .rest<RestEntry[]>('GET', `${path}?per_page=1&include=author&only=author`);
  expect(headers.get('link')).toContain('include=author');
  expect(body.map((entry) => Object.keys(entry))).toEqual([['id', 'author']]);
  expect(body[0]?.['author']).toHaveProperty('url');
});
