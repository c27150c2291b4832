// Entry.reference and Entry.references: the entries that a field refers to, as the caller may see them (docs/contract.md §7).
import { describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { articleNames, insiders, readsOf, stubOf, suiteLibrary } from '../../support/library.ts';

const { app, library } = await suiteLibrary();

interface Referring {
  readonly fields: Record<string, unknown>;
  readonly reference: { slug: string } | null;
  readonly references: {
    readonly totalCount: number;
    readonly nodes: { slug: string; owner: string | null }[];
    readonly edges: { cursor: string; node: { slug: string } }[];
    readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  };
}

const selection = `{ fields reference(field: "author") { slug acl { actor } owner } references(field: "links") {
  totalCount nodes { slug owner } edges { cursor node { slug } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

describe('a caller gets what it may see, in the order that it stands in', () => {
  test.each(insiders)('a caller gets the visible entries of a reference in their order: %s', async (kind) => {
    const { ask, articles, note } = library;
    const reads = readsOf(kind);
    for (const name of articleNames) {
      const { id } = await note(name);
      const query = `{ entry(channel: "notes", id: "${id}") ${selection} }`;
      const { entry } = expectData(await ask(kind).gql<{ entry: Referring }>(query));
      expect(entry.reference?.slug ?? null).toBe(reads.includes(name) ? name : null);
      const { totalCount, nodes, edges, pageInfo } = entry.references;
      expect([totalCount, nodes.map(({ slug }) => slug)]).toEqual([reads.length, reads]);
      expect(edges.map(({ node }) => node.slug)).toEqual(reads);
      expect(pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false, endCursor: edges.at(-1)?.cursor });
      const author = reads.includes(name) ? stubOf(articles[name]) : null;
      const links = reads.map((each) => stubOf(articles[each]));
      expect(entry.fields).toEqual({ title: 'A note', author, links });
      // As a fetch of it would tell.
      for (const { slug, owner } of nodes) {
        const fetch = `{ entry(channel: "articles", id: "${slug}") { owner } }`;
        expect(expectData(await ask(kind).gql(fetch))).toEqual({ entry: { owner } });
      }
    }
  });
});

test('useAcl applies below its own field alone', async () => {
  const { id } = await library.note('closed');
  const of = (alias: string, args: string) => `${alias}: entry(channel: "notes", id: "${id}"${args}) ${selection}`;
  const { master, session } = { master: library.here.site.master, session: library.here.ada.session };
  const ada = as(app, { token: master, session });
  const data = expectData(
    await ada.gql<Record<string, Referring>>(`{ ${of('all', '')} ${of('some', ', useAcl: true')} ${of('again', '')} }`),
  );
  const told = Object.entries(data).map(([alias, { fields, reference, references }]) => {
    return [alias, fields['author'] !== null, reference?.slug, references.nodes.map(({ slug }) => slug)];
  });
  expect(told).toEqual([
    ['all', true, 'closed', [...articleNames]],
    ['some', false, undefined, readsOf('master+ada/acl')],
    ['again', true, 'closed', [...articleNames]],
  ]);
});

test('50 entries take one statement for each field and level', async () => {
  const { ask, note } = library;
  for (let index = 0; index < 50; index += 1) await note('open');
  const query = `{ entries(channel: "notes", first: 50) { nodes {
    reference(field: "author") { slug fields } references(field: "links", first: 10) { nodes { slug } totalCount } } } }`;
  await ask('public').gql(query);
  app.statements();
  expectData(await ask('public').gql(query));
  const statements = app.statements().filter((statement) => statement.includes('FROM entries e'));
  expect(statements).toHaveLength(2);
});

describe('pages', () => {
  const page = async (kind: string, id: string, args: string) => {
    const query = `{ entry(channel: "notes", id: "${id}") { references(field: "links", ${args}) {
      totalCount nodes { slug } edges { cursor node { slug } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
    return library.ask(kind).gql<{ entry: Pick<Referring, 'references'> | null }>(query);
  };

  test('pages of `references` follow one another, each with the total', async () => {
    const { id } = await library.note(null);
    for (const kind of insiders) {
      const slugs: string[] = [];
      let after = '';
      for (let more = true; more;) {
        const { entry } = expectData(await page(kind, id, `first: 1${after}`));
        if (entry === null) throw new Error('There is no entry.');
        const { nodes, pageInfo, totalCount } = entry.references;
        expect([totalCount, nodes.length, pageInfo.hasPreviousPage]).toEqual([readsOf(kind).length, 1, after !== '']);
        slugs.push(...nodes.map(({ slug }) => slug));
        more = pageInfo.hasNextPage;
        after = `, after: "${pageInfo.endCursor}"`;
      }
      expect(slugs).toEqual(readsOf(kind));
    }
  });

  test('`references` refuses a cursor of another list, another field’s, another entry’s or a malformed one', async () => {
    const [one, two] = [await library.note(null), await library.note(null)];
    const { entry } = expectData(await page('master', one.id, 'first: 1'));
    const own = entry?.references.pageInfo.endCursor ?? '';
    const list = expectData(
      await library
        .ask('master')
        .gql<{ entries: { pageInfo: { endCursor: string } } }>(
          '{ entries(channel: "notes") { pageInfo { endCursor } } }',
        ),
    ).entries.pageInfo.endCursor;
    expectData(await page('master', one.id, `after: "${own}"`));
    for (const [id, cursor] of [
      [two.id, own],
      [one.id, list],
      [one.id, `${own}x`],
      [one.id, own.slice(0, -2)],
      [one.id, ''],
      [one.id, one.id],
    ] as const) {
      expectRefusal(await page('master', id, `after: "${cursor}"`), 'BAD_USER_INPUT');
    }
    for (const first of [0, -1, 251]) expectRefusal(await page('master', one.id, `first: ${first}`), 'BAD_USER_INPUT');
  });
});

test.each(['title', 'nowhere', '', '_owner', '__proto__', 'constructor', 'links.id', 'author '])(
  '`reference` by the name %j of no reference field is refused',
  async (field) => {
    const { id } = await library.note('open');
    for (const kind of ['public', 'master']) {
      for (const name of [
        `reference(field: ${JSON.stringify(field)}) { id }`,
        `references(field: ${JSON.stringify(field)}) { totalCount }`,
      ]) {
        const { errors } = await library.ask(kind).gql(`{ entry(channel: "notes", id: "${id}") { id ${name} } }`);
        expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
      }
    }
  },
);

test('`reference` refuses a list field, `references` a single one', async () => {
  const { id } = await library.note('open');
  for (const field of ['reference(field: "links") { id }', 'references(field: "author") { totalCount }']) {
    const { errors } = await library.ask('master').gql(`{ entry(channel: "notes", id: "${id}") { ${field} } }`);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  }
});

test('a mutation reads references that the one before it stored', async () => {
  const target = await buildEntry(app.database.prisma, library.here.articles, {
    slug: 'first',
    data: { title: 'Old' },
  });
  const { id } = await buildEntry(app.database.prisma, library.notes, { data: { author: target.id } });
  const touch = (alias: string, title: string) =>
    `${alias}: updateEntry(channel: "notes", id: "${id}", input: { fields: { title: "${title}" } }) { fields reference(field: "author") { titleFieldValue } }`;
  const change = `updateEntry(channel: "articles", id: "first", input: { fields: { title: "New" } }) { id }`;
  const { before, after } = expectData(
    await library.ask('master').gql(`mutation { ${touch('before', 'A')} ${change} ${touch('after', 'B')} }`),
  );
  expect(before).toMatchObject({
    fields: { author: { title_field_value: 'Old' } },
    reference: { titleFieldValue: 'Old' },
  });
  expect(after).toMatchObject({
    fields: { author: { title_field_value: 'New' } },
    reference: { titleFieldValue: 'New' },
  });
});

test('a writer who may not read the entry gets the sent references alone', async () => {
  const { articles, ask, notes } = library;
  const acl = { '*': { read: false, update: true } };
  const data = { author: articles.open.id, links: [articles.open.id, articles.closed.id] };
  const { id } = await buildEntry(app.database.prisma, notes, { acl, data });
  const write = (fields: string) =>
    ask('public').gql<{ updateEntry: Referring }>(
      `mutation { updateEntry(channel: "notes", id: "${id}", input: { fields: ${fields} }) ${selection} }`,
    );
  const first = expectData(await write('{ title: "New" }')).updateEntry;
  expect([first.fields, first.reference, first.references.totalCount]).toEqual([{ title: 'New' }, null, 0]);
  const second = expectData(await write('{ links: [] }')).updateEntry;
  expect([second.fields, second.reference, second.references.totalCount]).toEqual([{ links: [] }, null, 0]);
  const row = await app.database.prisma.entry.findFirst({ where: { siteId: library.here.site.id, id } });
  expect(row?.data).toMatchObject({ links: [articles.closed.id] });
});
