// Published holes of systems like this one, by the shapes V1 to V26, tried here: names, filters and cursors that tell
// what can't be read. Where a shape can't exist yet, the test holds that it can't.
import { describe, expect, test } from '@jest/globals';
import { graphql, rest, type Ask } from '../../support/alike.ts';
import { suiteSites } from '../../support/scene.ts';
import { words } from '../../support/words.ts';

const { sites } = await suiteSites();

const path = '/channels/articles/entries';
const inside = ['public', 'public+ada', 'user', 'user+ada', 'master', 'master/acl', 'master+ada/acl'];

describe('V3: a private name behind a prefix, a path or another parameter', () => {
  const disguised = [
    ...words(
      'e._owner entries._owner t1._owner _owner.length ._owner "_owner" _OWNER _owner::text acl->>\'x\' acl owner',
    ),
    ...words('data data.secret fields.secret channel.acl channel._acl site_id siteId version read_grant readGrant'),
    ...words('title_key created_at;-- CREATED_AT - * 1 lookup password hash token session.hash id.id'),
    ...['', ' _owner', '_owner ', 'created_at desc'],
  ];

  test('a private name in disguise is refused as a sort key, or sorts like a member that no entry has', async () => {
    const naming = (key: string) =>
      graphql(`{ entries(channel: "articles", sort: [${JSON.stringify(key)}]) { nodes { id } } }`);
    for (const kind of ['public', 'master']) {
      const plain = await rest('GET', `${path}?sort=nobody_has_this`)(sites.ask(kind));
      const plainly = await naming('nobody_has_this')(sites.ask(kind));
      for (const key of disguised) {
        const { status, text } = await rest('GET', `${path}?sort=${encodeURIComponent(key)}`)(sites.ask(kind));
        if (status === 200) expect([key, text]).toEqual([key, plain.text]);
        else if (key !== '') expect([key, status, text]).toEqual([key, 400, expect.stringContaining('is not a field')]);
        const { text: answer } = await naming(key)(sites.ask(kind));
        if (kind === 'public')
          expect([key, text + answer]).not.toEqual([key, expect.stringMatching(/mean \\*"_(owner|acl)/)]);
        if (!answer.includes('is not a field to sort by')) expect([key, answer]).toEqual([key, plainly.text]);
      }
    }
  });

  test('a private name is refused as a parameter, with and without an operator, on each route that reads', async () => {
    const known = ['where', 'filter', 'lookup', 'populate', 'fields', 'include', 'select', 'q'];
    for (const name of [...disguised, ...known]) {
      for (const tail of [name, `${name}.ne`, `${name}[ne]`, `where[${name}]`]) {
        for (const target of [path, `${path}/count`, `${path}/open`]) {
          const answer = await sites.ask('public').rest('GET', `${target}?${encodeURIComponent(tail)}=x`);
          const isNegated = tail.endsWith('.ne') && tail !== '.ne';
          const none = await sites.ask('public').rest('GET', `${target}?nobody_has_this${isNegated ? '.ne' : ''}=x`);
          if (answer.status !== 400) expect([target, tail, answer.text]).toEqual([target, tail, none.text]);
        }
      }
    }
  });
});

describe('V4: a search that looks where the caller may not', () => {
  const ordered = ['', '&sort=created_at', '&sort=-title_field_value', '&per_page=1'];
  const asked: ((term: string) => Ask)[] = [
    (term) =>
      graphql(`{ entries(channel: "articles", search: ${JSON.stringify(term)}) { totalCount nodes { slug } } }`),
    (term) => rest('GET', `${path}/count?q=${encodeURIComponent(term)}`),
    ...ordered.map((sort) => (term: string) => rest('GET', `${path}?q=${encodeURIComponent(term)}${sort}`)),
  ];
  const terms = (word: string) => [
    word,
    `secret of ${word}`,
    `"title of ${word}"`,
    `open OR ${word}`,
    `-${word}`,
    word.slice(0, -1),
  ];
  const hiddenFrom = {
    public: ['adas', 'closed', 'draft'],
    'public+ada': ['closed', 'draft'],
    user: ['adas', 'closed'],
  };

  test.each(Object.entries(hiddenFrom))(
    'a search by %s for a word of the hidden %s alone answers like one for a word of no entry',
    async (kind, hidden) => {
      const pairs = hidden.flatMap((slug) =>
        terms(slug).map((term, at) => [term, terms('nowhere')[at] ?? ''] as const),
      );
      for (const [term, absent] of pairs) {
        for (const ask of asked) {
          const answers = await Promise.all([term, absent].map((each) => ask(each)(sites.ask(kind))));
          const told = answers.map(({ status, headers, text }) => [status, headers.get('x-total-count'), text]);
          expect([term, told[0]]).toEqual([term, told[1]]);
        }
      }
      const shown = await sites.ask('master').rest<unknown[]>('GET', `${path}?q=closed`);
      expect(shown.body).toHaveLength(1);
    },
  );

  test('a search finds no owner, rule or status, even for a master token', async () => {
    for (const kind of inside) {
      for (const term of ['bob', 'carol', 'users', 'read', 'published', 'articles']) {
        const { body } = await sites.ask(kind).rest('GET', `${path}/count?q=${term}`);
        expect([kind, term, body]).toEqual([kind, term, { count: 0 }]);
      }
    }
  });
});

describe('V20: a filter that hops over a relation to rows without their rule', () => {
  // Where fields are declared, in oracles.declared.test.ts.
  test('filters and `include` refuse relations that are no reference field', async () => {
    for (const kind of inside) {
      // Where nothing is declared these are names like any other, which no entry has.
      for (const hop of ['author.secret=x', 'author._owner=bob', 'author.id.in=a,b', 'author.author.secret=x']) {
        expect([hop, (await sites.ask(kind).rest('GET', `${path}?${hop}`)).text]).toEqual([hop, '[]']);
      }
      const where = '{ field: "author.secret", op: EXISTS, value: true }';
      const { data } = await sites.ask(kind).gql(`{ entries(channel: "articles", where: ${where}) { totalCount } }`);
      expect(data).toEqual({ entries: { totalCount: 0 } });
    }
  });

  test('an entry’s id in a custom text field embeds nothing', async () => {
    const { closed } = sites.entries;
    const stub = { id: closed.id, channel: 'articles', slug: 'closed' };
    const body = { author: closed.id, link: stub, links: [stub] };
    const made = await sites.ask('public+ada').rest('POST', '/channels/forms/entries', { body });
    expect(made.body).toMatchObject(body);
    expect(made.text).not.toMatch(/secret of|Title of/);
  });
});
