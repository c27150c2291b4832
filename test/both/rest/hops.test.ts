// Filters that reach through a reference (docs/contract.md §5): over entries that the caller may see alone, under negations, too.
import { describe, expect, test } from '@jest/globals';
import { expectProblem } from '../../support/expect.ts';
import {
  articleNames,
  buildLibrary,
  insiders,
  readsOf,
  suiteLibrary,
  type ArticleName,
} from '../../support/library.ts';

const { app, library } = await suiteLibrary();
/** The id of the note that refers to each article. */
const notes = new Map<ArticleName | 'none', string>();
for (const name of articleNames) notes.set(name, (await library.note(name, [library.articles[name].id])).id);
notes.set('none', (await library.note(null, [])).id);

async function found(kind: string, parameters: Record<string, string>): Promise<string[]> {
  const query = new URLSearchParams({ ...parameters, sort: 'id', per_page: '250' }).toString();
  const answer = await library.ask(kind).rest<{ id: string }[]>('GET', `/channels/notes/entries?${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  const counted = await library
    .ask(kind)
    .rest('GET', `/channels/notes/entries/count?${new URLSearchParams(parameters).toString()}`);
  expect(counted.body).toEqual({ count: answer.body.length });
  return answer.body.map(({ id }) => id);
}

function idsOf(names: readonly (ArticleName | 'none')[]): string[] {
  return [...notes]
    .filter(([name]) => names.includes(name))
    .map(([, id]) => id)
    .sort();
}

const everyone = [...articleNames, 'none'] as const;

describe.each(insiders)('%s', (kind) => {
  const seen = readsOf(kind);
  const isOne = (name: ArticleName): ArticleName[] => (seen.includes(name) ? [name] : []);
  const others = (names: readonly string[]): (ArticleName | 'none')[] =>
    everyone.filter((name) => !names.includes(name));

  test.each(articleNames)(
    'a filter through a reference compares the fields of %s, or counts it as absent if it is hidden',
    async (name) => {
      for (const field of ['author', 'links']) {
        expect(await found(kind, { [`${field}.slug`]: name })).toEqual(idsOf(isOne(name)));
        expect(await found(kind, { [`${field}.title.ends_with`]: `OF ${name}` })).toEqual(idsOf(isOne(name)));
        expect(await found(kind, { [`${field}.slug.ne`]: name })).toEqual(idsOf(others(isOne(name))));
        const where = JSON.stringify({ not: { [`${field}.title`]: `Title of ${name}` } });
        expect(await found(kind, { where })).toEqual(idsOf(others(isOne(name))));
      }
    },
  );

  test.each(articleNames)('a filter by a reference finds %s by its id, its short id and its slug', async (name) => {
    const { id, shortId, slug } = library.articles[name];
    for (const value of [id, shortId, slug]) {
      expect(await found(kind, { author: value })).toEqual(idsOf(isOne(name)));
      expect(await found(kind, { 'links.all': value })).toEqual(idsOf(isOne(name)));
      expect(await found(kind, { 'author.nin': `${value},nobody` })).toEqual(idsOf(others(isOne(name))));
    }
  });

  test('a filter by `exists` of a reference counts hidden entries as absent', async () => {
    expect(await found(kind, { 'author.exists': 'true' })).toEqual(idsOf(seen));
    expect(await found(kind, { 'author.exists': 'false' })).toEqual(idsOf(others(seen)));
  });

  test('a filter through a reference in GraphQL finds the same entries', async () => {
    const query = `{ entries(channel: "notes", sort: "id", where: { not: { field: "author.slug", op: IN, value: ["open", "closed"] } }) { totalCount nodes { id } } }`;
    const { data } = await library.ask(kind).gql<{ entries: { totalCount: number; nodes: { id: string }[] } }>(query);
    const wanted = idsOf(others([...isOne('open'), ...isOne('closed')]));
    expect(data.entries).toEqual({ totalCount: wanted.length, nodes: wanted.map((id) => ({ id })) });
  });
});

describe('refused', () => {
  test.each([
    ['a member of what is no reference', 'title.x=y'],
    ['an operator that compares nothing here', 'author.contains=x'],
    ['a value that is no name', 'author.exists=maybe'],
    ['an order by a reference', 'sort=author'],
  ])('a filter through a reference is refused for %s', async (_name, query) => {
    expectProblem(await library.ask('master').rest('GET', `/channels/notes/entries?${query}`), 'bad_request');
  });

  test('a filter through two references is refused', async () => {
    const next = '{ name: "next", type: REFERENCE, channel: "chain" }';
    const mutation = `mutation { createChannel(input: { id: "chain", fields: [{ name: "title", type: STRING }, ${next}] }) { id } }`;
    await library.ask('master').gql(mutation);
    for (const query of ['next.next.title=x', 'next.next=x', 'next.next.exists=true']) {
      const answer = await library.ask('master').rest('GET', `/channels/chain/entries?${query}`);
      expectProblem(answer, 'bad_request');
    }
    expect((await library.ask('master').rest('GET', '/channels/chain/entries?next.title=x')).status).toBe(200);
  });

  test('a filter by _owner or _acl through a reference is refused to callers that may not read them', async () => {
    for (const member of ['_owner', '_acl.exists']) {
      const path = `/channels/notes/entries?author.${member}=true`;
      expectProblem(await library.ask('public').rest('GET', path), 'bad_request');
      expect((await library.ask('user').rest('GET', path)).status).toBe(200);
    }
  });

  test('a filter by an undeclared field of the other channel is refused, unless it declares none', async () => {
    expect(await found('master', { 'author.nobody_has_this': 'x' })).toEqual([]);
  });
});

test('a filter through a reference to a deleted channel counts each reference as absent', async () => {
  const gone = await buildLibrary(app);
  await gone.note('open');
  const master = gone.ask('master');
  await master.gql('mutation { deleteChannel(id: "articles", confirm: "articles") }');
  const list = async (query: string) => (await master.rest<unknown[]>('GET', `/channels/notes/entries?${query}`)).body;
  expect(await list('author.title=Title of open')).toEqual([]);
  expect(await list('author.exists=true')).toEqual([]);
  expect(await list('author.title.ne=x')).toHaveLength(1);
});
