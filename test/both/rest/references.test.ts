// Fields that refer to entries: what may be written, and what is read of it, by whom (docs/contract.md §6).
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { rest, type Ask, expectAlike } from '../../support/alike.ts';
import type { Caller } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem, tellingOf } from '../../support/expect.ts';
import { articleNames, insiders, readsOf, stubOf, suiteLibrary, type Library } from '../../support/library.ts';

const { app, library } = await suiteLibrary();

const path = '/channels/notes/entries';

async function create(caller: Caller, body: object) {
  return expectEntry(await caller.rest('POST', path, { body }), 201);
}
async function update(caller: Caller, id: string, body: object) {
  return expectEntry(await caller.rest('PATCH', `${path}/${id}`, { body }));
}
async function fetched(caller: Caller, id: string) {
  return expectEntry(await caller.rest('GET', `${path}/${id}`));
}
/** What is stored of a note, by articles' names; ids of no article stay what they are. */
async function stored({ id }: { id: string }): Promise<unknown> {
  const siteId = library.here.site.id;
  const row = await app.database.prisma.entry.findUniqueOrThrow({ where: { siteId_id: { siteId, id } } });
  let text = JSON.stringify([row.data, row.kept, row.version]);
  for (const name of articleNames) text = text.replaceAll(library.articles[name].id, name);
  return JSON.parse(text);
}

describe('a reference is sent as', () => {
  const spellings: [string, (row: Library['articles']['open']) => unknown][] = [
    ['an id', ({ id }) => id],
    ['an id in capitals', ({ id }) => id.toUpperCase()],
    ['a short id', ({ shortId }) => shortId],
    ['a slug', ({ slug }) => slug],
    ['the stub that was read', stubOf],
    ['an object with the id', ({ id }) => ({ id, title: 'Else', channel: 5 })],
  ];
  test.each(spellings)('a reference can be sent as %s', async (_how, spell) => {
    const { ask, articles } = library;
    const entry = await create(ask('public'), { author: spell(articles.open), links: [spell(articles.open)] });
    expect([entry['author'], entry['links']]).toEqual([stubOf(articles.open), [stubOf(articles.open)]]);
    expect(await stored(entry)).toEqual([{ author: 'open', links: ['open'] }, {}, 1]);
    const [changed, again] = [
      { author: null, links: null },
      { author: spell(articles.open), links: [] },
    ];
    expect(await update(ask('public'), entry.id, changed)).toHaveProperty('author', null);
    expect(await stored(entry)).toEqual([{}, {}, 2]);
    expect((await update(ask('public'), entry.id, again))['author']).toEqual(stubOf(articles.open));
  });

  test('references that were read can be sent back, and change nothing', async () => {
    const note = await library.note('open');
    for (const kind of insiders) {
      const read = await fetched(library.ask(kind), note.id);
      expect(await update(library.ask(kind), note.id, read)).toEqual(read);
    }
    expect(await stored(note)).toEqual([{ title: 'A note', author: 'open', links: articleNames }, {}, 1]);
  });

  test('an entry that is sent twice in references counts once, in the order of sending', async () => {
    const { ask, articles } = library;
    const { draft, open } = articles;
    const entry = await create(ask('master'), { links: ['open', draft.id, open.shortId, { id: open.id }, 'draft'] });
    expect(entry['links']).toEqual([stubOf(open), stubOf(draft)]);
  });
});

describe('what a caller may not refer to answers alike', () => {
  const naming: [string, (name: string) => Ask][] = [
    ['in a new entry', (name) => rest('POST', path, { body: { author: name } })],
    ['in a list', (name) => rest('POST', path, { body: { links: ['open', name] } })],
    ['by a stub', (name) => rest('POST', path, { body: { author: { id: name } } })],
  ];
  describe.each(naming)('%s', (_how, ask) => {
    test.each(insiders)('a reference to a hidden, foreign or missing entry is refused alike to %s', async (kind) => {
      const { articles, theirs } = library;
      const other = await buildEntry(app.database.prisma, library.here.forms, {});
      const hidden = articleNames.filter((name) => !readsOf(kind).includes(name)).map((name) => articles[name]);
      const caller = library.ask(kind);
      for (const row of [...hidden, theirs, other]) {
        for (const [name, absent] of [
          [row.id, randomUUID()],
          [row.shortId, 'ABCDEFGHIJ'],
          [row.slug, 'nowhere'],
        ] as const) {
          app.statements();
          const answer = await expectAlike(caller, ask, name, absent);
          expectProblem(answer, 'validation_failed', [answer.text.includes('links') ? 'links' : 'author']);
          const asked = app.statements().filter((statement) => statement.includes('FROM entries'));
          expect(asked.length).toBeGreaterThan(1);
          expect(asked.slice(0, asked.length / 2)).toEqual(asked.slice(asked.length / 2));
        }
      }
      for (const name of readsOf(kind)) {
        expect((await ask(articles[name].id)(caller)).status).toBe(201);
      }
    });
  });

  test('an update with such a reference, or with an invalid name, is refused alike', async () => {
    const note = await library.note(null);
    const ask = (name: string) => rest('PUT', `${path}/${note.id}`, { body: { author: name } });
    const { closed, adas, later } = library.articles;
    for (const hidden of [closed.id, adas.slug, later.shortId, 'No Slug', '', 'count']) {
      const answer = tellingOf(await ask(hidden)(library.ask('public')));
      expect(answer).toEqual(tellingOf(await ask('nowhere')(library.ask('public'))));
      expect(answer['status']).toBe(422);
    }
    expect(await stored(note)).toEqual([{ title: 'A note', links: articleNames }, {}, 1]);
  });

  test('all references of one payload take one statement', async () => {
    app.statements();
    await create(library.ask('public'), {
      slug: 'one-look',
      author: 'open',
      links: ['open', library.articles.open.id],
    });
    const reads = app.statements().filter((statement) => statement.includes('AS visible FROM entries'));
    expect(reads).toHaveLength(1);
  });
});

test.each<[object, string]>([
  [{ author: 5 }, 'author'],
  [{ author: true }, 'author'],
  [{ author: ['open'] }, 'author'],
  [{ author: { slug: 'open' } }, 'author'],
  [{ author: { id: 5 } }, 'author'],
  [{ links: 'open' }, 'links'],
  [{ links: { id: 'open' } }, 'links'],
  [{ links: ['open', null] }, 'links'],
  [{ links: [['open']] }, 'links'],
  [{ links: Array.from({ length: 1_001 }, () => 'open') }, 'links'],
])('the payload %j is refused: it has no reference', async (body, field) => {
  expectProblem(await library.ask('master').rest('POST', path, { body }), 'validation_failed', [field]);
});

test('bounds of references count the sent entries, and an empty list is refused by a required field with a minimum', async () => {
  const { ask, here, articles } = library;
  const fields = [
    { name: 'few', type: 'references', channel: 'articles', min: 1, max: 2 },
    { name: 'one', type: 'reference', channel: 'articles', required: true },
    { name: 'some', type: 'references', channel: 'articles', min: 2, required: true },
  ] as const;
  await buildChannel(app.database.prisma, here.site.id, { id: 'bounded', fields: [...fields], readScope: 'public' });
  const send = (body: object) => ask('master').rest('POST', '/channels/bounded/entries', { body });
  const some = ['open', 'draft'];
  expectProblem(await send({ one: 'open', some, few: ['open', 'draft', 'adas'] }), 'validation_failed', ['few']);
  for (const one of [{}, { one: null }]) expectProblem(await send({ ...one, some }), 'validation_failed', ['one']);
  for (const too of [[], ['open']])
    expectProblem(await send({ one: 'open', some: too }), 'validation_failed', ['some']);
  const entry = expectEntry(await send({ one: 'open', some, few: ['open', articles.open.id, 'draft'] }), 201);
  expect(entry['few']).toEqual([stubOf(articles.open), stubOf(articles.draft)]);
  for (const few of [[], null]) expect(expectEntry(await send({ one: 'open', some, few }), 201)['few']).toEqual([]);
});

test('references of which the reader sees fewer than the minimum can be sent back, and no shorter list', async () => {
  const { ask, here } = library;
  const db = app.database.prisma;
  const target = await buildChannel(db, here.site.id, { id: 'goals', readScope: 'public' });
  const goals = [];
  for (const slug of ['g1', 'g2', 'g3']) goals.push(await buildEntry(db, target, { slug }));
  const fields = [
    { name: 'few', type: 'references', channel: 'goals', min: 2 },
    { name: 'must', type: 'references', channel: 'goals', min: 2, required: true },
  ] as const;
  await buildChannel(db, here.site.id, { id: 'players', fields: [...fields], readScope: 'public' });
  const players = '/channels/players/entries';
  const all = ['g1', 'g2', 'g3'];
  const { id } = expectEntry(await ask('master').rest('POST', players, { body: { few: all, must: all } }), 201);
  for (const left of [2, 1, 0]) {
    const goal = goals[left];
    expect((await ask('master').rest('DELETE', `/channels/goals/entries/${goal?.id}`)).status).toBe(204);
    const read = expectEntry(await ask('master').rest('GET', `${players}/${id}`));
    for (const name of ['few', 'must']) expect(read[name]).toHaveLength(left);
    for (const method of ['PUT', 'PATCH']) {
      expect(expectEntry(await ask('master').rest(method, `${players}/${id}`, { body: read }))).toEqual(read);
    }
    if (left === 2) {
      const body = { few: ['g1'], must: ['g2'] };
      expectProblem(await ask('master').rest('PATCH', `${players}/${id}`, { body }), 'validation_failed', [
        'few',
        'must',
      ]);
    }
  }
});

describe('what is read', () => {
  test('references to deleted entries or channels are null or left out, and the list is answered', async () => {
    const { ask, here } = library;
    const db = app.database.prisma;
    const target = await buildChannel(db, here.site.id, { id: 'targets' });
    const [one, two] = [await buildEntry(db, target, {}), await buildEntry(db, target, {})];
    const fields = [
      { name: 'a', type: 'reference', channel: 'targets' },
      { name: 'b', type: 'references', channel: 'targets' },
    ] as const;
    const from = await buildChannel(db, here.site.id, { id: 'from', fields: [...fields] });
    const entry = await buildEntry(db, from, { data: { a: one.id, b: [one.id, two.id] } });
    const read = async () => (await ask('public').rest<object[]>('GET', '/channels/from/entries')).body;
    expect(await read()).toMatchObject([{ a: { id: one.id }, b: [{ id: one.id }, { id: two.id }] }]);
    expect((await ask('master').rest('DELETE', `/channels/targets/entries/${one.id}`)).status).toBe(204);
    expect(await read()).toMatchObject([{ a: null, b: [{ id: two.id }] }]);
    await ask('master').gql('mutation { deleteChannel(id: "targets", confirm: "targets") }');
    expect(await read()).toMatchObject([{ id: entry.id, a: null, b: [] }]);
    const again = await ask('master').rest('PATCH', `/channels/from/entries/${entry.id}`, { body: { a: two.id } });
    expectProblem(again, 'validation_failed', ['a']);
    await ask('master').gql('mutation { createChannel(input: { id: "targets" }) { id } }');
    expect(await read()).toMatchObject([{ a: null, b: [] }]);
  });

  test('a title field with a reference has no title', async () => {
    const { ask, here, articles } = library;
    const fields = [{ name: 'title', type: 'reference', channel: 'articles' }] as const;
    await buildChannel(app.database.prisma, here.site.id, { id: 'titled', fields: [...fields] });
    const answer = await ask('master').rest('POST', '/channels/titled/entries', { body: { title: 'closed' } });
    expect(answer.body).toMatchObject({ slug: 'entry', title_field_value: null, title: stubOf(articles.closed) });
    const seen = await ask('public').rest('GET', '/channels/titled/entries?sort=title_field_value');
    expect([seen.body, seen.text.includes(articles.closed.id)]).toEqual([
      [expect.objectContaining({ title: null })],
      false,
    ]);
  });

  test('the entity tag changes with a referenced entry, and a precondition compares the entry alone', async () => {
    const { ask, here, notes } = library;
    const db = app.database.prisma;
    const target = await buildEntry(db, here.articles, { slug: 'renamed', data: { title: 'Title of renamed' } });
    const { id } = await buildEntry(db, notes, { data: { author: target.id } });
    const tag = async (): Promise<string> =>
      (await ask('public').rest('GET', `${path}/${id}`)).headers.get('etag') ?? '';
    const before = await tag();
    await ask('master').rest('PATCH', `/channels/articles/entries/${target.id}`, { body: { title: 'Else' } });
    expect(await tag()).not.toBe(before);
    const headers = { 'If-Match': before };
    expectEntry(await ask('master').rest('PATCH', `${path}/${id}`, { body: { title: 'New' }, headers }));
    const stale = await ask('master').rest('PATCH', `${path}/${id}`, { body: { title: 'Newer' }, headers });
    expectProblem(stale, 'precondition_failed');
  });
});

describe('an update leaves what its writer may not see', () => {
  test('an update of references with hidden entries changes the version only if visible ones change', async () => {
    const caller = library.ask('public');
    const { closed } = library.articles;
    const starts = [
      {},
      { links: [] },
      { links: [closed.id], author: closed.id },
      { links: [randomUUID()] },
      { links: 5 },
    ];
    const bodies = [
      ...[{ links: [] }, { links: null }, { author: null }, { author: null, links: [] }],
      ...[{ links: ['open'] }, { links: ['open'] }, { links: null }, { links: [] }, { author: 'open' }],
    ];
    const told = await Promise.all(
      starts.map(async (data) => {
        const { id } = await buildEntry(app.database.prisma, library.notes, { data });
        const answers: unknown[] = [];
        for (const body of [...bodies, {}]) {
          const before = await fetched(caller, id);
          const answer = await caller.rest('PATCH', `${path}/${id}`, { body });
          const { author, links, updated_at } = expectEntry(answer);
          const version = /^"(\d+)\./.exec(answer.headers.get('etag') ?? '')?.[1];
          answers.push([version, updated_at === before.updated_at, before['links'], author, links]);
        }
        return answers;
      }),
    );
    for (const answers of told) expect(answers).toEqual(told[0]);
    expect(told[0]?.map((answer) => (answer as unknown[])[0])).toEqual([...'1111223344']);
  });

  test.each<[string, object, string | undefined, string[] | undefined]>([
    ['null', { author: null, links: null }, 'closed', ['adas', 'closed', 'draft', 'later']],
    ['nothing', { links: [] }, 'closed', ['adas', 'closed', 'draft', 'later']],
    ['another', { author: 'open', links: ['open'] }, 'open', [...articleNames]],
    ['itself', { title: 'New' }, 'closed', [...articleNames]],
  ])('an update keeps the references to hidden entries if the writer sends %s', async (_what, body, author, links) => {
    const note = await library.note('closed');
    const entry = await update(library.ask('public'), note.id, body);
    const [data] = (await stored(note)) as [Record<string, unknown>];
    expect([data['author'], data['links']]).toEqual([author, links]);
    expect(entry['author'] ?? null).toEqual(author === 'open' ? stubOf(library.articles.open) : null);
  });

  test('a required list of references refuses an empty one, even if hidden entries remain', async () => {
    const fields = [{ name: 'links', type: 'references', channel: 'articles', required: true }] as const;
    const needing = await buildChannel(app.database.prisma, library.here.site.id, {
      ...{ id: 'needing', readScope: 'public', updateScope: 'public', fields: [...fields] },
    });
    for (const data of [{}, { links: [] }, { links: [library.articles.closed.id] }]) {
      const { id } = await buildEntry(app.database.prisma, needing, { data });
      const send = (links: unknown) =>
        library.ask('public').rest('PATCH', `/channels/needing/entries/${id}`, { body: { links } });
      expectProblem(await send(null), 'validation_failed', ['links']);
      const answer = await send([]);
      expect(expectEntry(answer)['links']).toEqual([]);
      expect(answer.headers.get('etag')).toMatch(/^"1\./);
    }
  });

  test('a writer who sees all references removes them, and a change drops ids of missing entries', async () => {
    const { articles, note, ask } = library;
    const gone = randomUUID();
    const links = [gone, articles.open.id, articles.closed.id];
    const kept = await note('closed', links);
    await update(ask('master'), kept.id, { links: ['open', 'closed'] });
    expect(await stored(kept)).toEqual([{ title: 'A note', author: 'closed', links: [gone, 'open', 'closed'] }, {}, 1]);
    await update(ask('public'), kept.id, { links: [] });
    expect(await stored(kept)).toEqual([{ title: 'A note', author: 'closed', links: ['closed'] }, {}, 2]);
    await update(ask('master'), kept.id, { links: null, author: null });
    expect(await stored(kept)).toEqual([{ title: 'A note' }, {}, 3]);
  });
});
