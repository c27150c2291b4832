// Published holes of systems like this one, by the shapes V1 to V26, tried here: inputs that pose as something else,
// or make an answer tell too much.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { graphql } from '../../support/alike.ts';
import { expectClean } from '../../support/clean.ts';
import { suiteSites } from '../../support/scene.ts';
import { words } from '../../support/words.ts';

const { sites } = await suiteSites();

const path = '/channels/articles/entries';
const inside = ['public', 'public+ada', 'user', 'user+ada', 'master', 'master/acl', 'master+ada/acl'];

describe('V6: a guard that reads only the top of a filter, or takes an object for a list', () => {
  const comparison = fc.record(
    {
      field: fc.constantFrom('_owner', '_acl', 'secret', 'title', 'id'),
      op: fc.constantFrom('EQ', 'NE', 'IN', 'EXISTS', 'STARTS_WITH'),
      value: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  );
  const { filter } = fc.letrec<{ filter: unknown }>((tie) => {
    const list = fc.array(tie('filter'), { maxLength: 2 });
    const node = fc.record({ and: list, or: list, not: tie('filter') }, { requiredKeys: [] });
    return { filter: fc.oneof({ maxDepth: 3 }, comparison, node) };
  });
  const document =
    'query ($where: EntryFilter) { entries(channel: "articles", where: $where) { totalCount nodes { id } } }';

  test('generated filters select for each caller only visible entries, and never compare private members', async () => {
    for (const kind of inside) {
      await fc.assert(
        fc.asyncProperty(filter, async (where) => {
          const { data, errors } = await sites
            .ask(kind)
            .gql<{ entries: { nodes: { id: string }[] } | null } | undefined>(document, { where });
          if (errors) expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
          const isPrivate = /"_owner"|"_acl"/.test(JSON.stringify(where));
          if (kind.startsWith('public') && isPrivate) expect(data?.entries ?? null).toBeNull();
          const visible = (await sites.ask(kind).rest<{ id: string }[]>('GET', `${path}?per_page=250`)).body;
          const ids = visible.map(({ id }) => id);
          expect(ids).toEqual(expect.arrayContaining((data?.entries?.nodes ?? []).map(({ id }) => id)));
          const query = encodeURIComponent(JSON.stringify(where));
          // There a filter's field is a member: what is GraphQL's is a name that no entry has, or is refused.
          const answer = await sites.ask(kind).rest<{ id: string }[]>('GET', `${path}?where=${query}`);
          if (answer.status === 200) expect(ids).toEqual(expect.arrayContaining(answer.body.map(({ id }) => id)));
          else expect(answer.status).toBe(400);
        }),
        { numRuns: 10, endOnFailure: true },
      );
    }
  });

  const posing: unknown[] = [
    ...[{ length: 1, 0: '_owner' }, { length: 0 }, { 0: '_owner' }, { toString: '_owner' }, [['_owner']], [{}], [null]],
    ...[5, true],
  ];
  test.each(posing)('%j as a list of sort keys is refused', async (sort) => {
    const query = 'query ($sort: [String!]) { entries(channel: "articles", sort: $sort) { totalCount } }';
    const { data, status, errors } = await sites.ask('public').gql<{ entries?: unknown } | undefined>(query, { sort });
    expect([status, data?.entries ?? null, errors?.[0]?.extensions.code]).toEqual([400, null, 'BAD_USER_INPUT']);
  });
});

describe('V24: an odd parameter, or a bad pattern, that makes an answer tell too much', () => {
  test('no answer contains tokens, hashes, SQL or stacks', async () => {
    const odd =
      words(`[ ( * + (?< \\ (a+)+$ ^( [[:alpha:] .{1,99999} \\Q %5B [] [$ne] {} _SessionToken sessionToken keys hash
      include explain debug trace stack $where redirectClassNameForKey`);
    for (const kind of ['public', 'public+ada', 'user', 'master']) {
      for (const text of odd) {
        const uri = encodeURIComponent(text);
        // Where nothing is declared these may be names, which no entry has.
        for (const query of [`${uri}=1`, `${uri}[]=1`, `sort=${uri}`, `title.regex=${uri}`]) {
          const answer = await sites.ask(kind).rest('GET', `${path}?${query}`);
          expectClean([kind, query], answer);
          expect([200, 400]).toContain(answer.status);
          if (answer.status === 200 && !query.startsWith('sort=')) expect([query, answer.text]).toEqual([query, '[]']);
        }
        for (const query of [`page=${uri}`, `use_acl=${uri}`]) {
          const answer = await sites.ask(kind).rest('GET', `${path}?${query}`);
          expectClean([kind, query], answer);
          expect([query, answer.status]).toEqual([query, 400]);
        }
        const field = text.replace(/\W/g, '') || 'x';
        for (const query of [
          `{ entries(channel: "articles") { nodes { ${field} } } }`,
          `{ ${field} }`,
          `{ channels { id } ${text} }`,
        ]) {
          expectClean([kind, query], await graphql(query)(sites.ask(kind)));
        }
      }
    }
  });

  test('lists of tokens and sessions contain neither secrets nor hashes', async () => {
    const answers = [
      await graphql('{ tokens { id kind name createdAt expiresAt revokedAt lastUsedAt } }')(sites.ask('master')),
      await graphql('{ sessions(customer: "ada") { id customer createdAt expiresAt revokedAt lastUsedAt } }')(
        sites.ask('master'),
      ),
      await graphql('{ customers { nodes { id email name roles } } }')(sites.ask('master')),
    ];
    for (const answer of answers) expectClean('managed', answer);
    for (const member of ['hash', 'token', 'secret', 'userId', 'siteId', 'sessions']) {
      for (const query of [
        `{ tokens { ${member} } }`,
        `{ sessions(customer: "ada") { ${member} } }`,
        `{ customers { nodes { ${member} } } }`,
      ]) {
        expect([query, (await graphql(query)(sites.ask('master'))).status]).toEqual([query, 400]);
      }
    }
  });
});
