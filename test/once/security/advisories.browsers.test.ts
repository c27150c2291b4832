// Published holes of systems like this one, by the shapes V1 to V26, tried here: floods of what costs, and what browsers
// and caches add.
import { describe, expect, test } from '@jest/globals';
import { getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { tokenPattern } from '../../../src/base/redaction.ts';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { startApp } from '../../support/app.ts';
import { send } from '../../support/as.ts';
import { kinds } from '../../support/sites.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

describe('V15: aliases that multiply what costs, and nesting without end', () => {
  const list = (index: number): string =>
    `a${index}: entries(channel: "articles", first: 250) { totalCount nodes { id } }`;
  const flood = `{ ${many(1_000, list)} }`;

  test('a document of 1,000 aliases is not read without a token, and is refused with one', async () => {
    for (const kind of kinds) {
      const { status, data } = await sites.ask(kind).gql<object | undefined>(flood);
      const refused = { nobody: 401, session: 401, stranger: 403, foreign: 403 }[kind as string] ?? 400;
      // What can't be understood is refused before the site is looked at.
      const possible = refused === 401 ? [401] : [refused, 400];
      expect([kind, possible.includes(status), data ?? null]).toEqual([kind, true, null]);
    }
  });

  const backwards = ['Entry.reference', 'Entry.references'];

  test('no type leads back to itself except by references', () => {
    const types = Object.values(createSchema(resolvers).getTypeMap()).filter(
      (type) => isObjectType(type) && !type.name.startsWith('__'),
    );
    const below = (type: GraphQLObjectType): GraphQLObjectType[] =>
      Object.values(type.getFields())
        .filter((field) => !backwards.includes(`${type.name}.${field.name}`))
        .map((field) => getNamedType(field.type))
        .filter(isObjectType);
    const reaches = (type: GraphQLObjectType, path: readonly string[]): string[] =>
      path.includes(type.name)
        ? [[...path, type.name].join(' → ')]
        : below(type).flatMap((next) => reaches(next, [...path, type.name]));
    expect(types.filter(isObjectType).flatMap((type) => reaches(type, []))).toEqual([]);
  });

  test('a document that nests references too deeply or widely, also by fragments, is refused before any SQL', async () => {
    const spread = many(50, (index) => `fragment f${index} on Entry { ...f${index + 1} ...f${index + 1} }`);
    const nested = (levels: number, open: string, close: string): string =>
      `{ entry(channel: "articles", id: "open") { ${open.repeat(levels)} id ${close.repeat(levels)} } }`;
    for (const query of [
      `{ entry(channel: "articles", id: "open") { ...f0 } } ${spread} fragment f50 on Entry { ...f0 }`,
      nested(50, 'reference(field: "r") {', '}'),
      nested(25, 'references(field: "r", first: 1) { nodes {', '} }'),
      nested(4, 'references(field: "r", first: 250) { nodes {', '} }'),
      nested(5, '... on Entry { references(field: "r", first: 250) { edges { node {', '} } } }'),
      nested(
        1,
        many(300, (index) => `a${index}: reference(field: "r") { id }`),
        '',
      ),
    ]) {
      const { status, data } = await sites.ask('public').gql<object | undefined>(query);
      expect([query.slice(0, 100), status, data ?? null]).toEqual([query.slice(0, 100), 400, null]);
    }
  });
});

describe('V21: an answer that a shared cache keeps, or that another site reads', () => {
  test('each answer to a request with credentials is private, refusals and batches included', async () => {
    for (const kind of kinds) {
      const ask = sites.ask(kind);
      const path = '/channels/articles/entries';
      const answers = [
        ...(await Promise.all(
          [path, `${path}/count`, `${path}/open`, `${path}/nowhere`, `${path}?page=0`, '/nowhere'].map((p) =>
            ask.rest('GET', p),
          ),
        )),
        await ask.rest('POST', '/graphql', { body: { query: '{ channels { id } }' } }),
        await ask.rest('POST', '/graphql', {
          body: [{ query: '{ channels { id } }' }, { query: '{ tokens { id } }' }],
        }),
        await ask.rest('GET', '/graphql?query={channels{id}}', { headers: { 'Apollo-Require-Preflight': '1' } }),
        await ask.rest('POST', path, { body: '{' }),
        await ask.rest('POST', '/graphql', { body: '{' }),
        await ask.rest('POST', '/graphql/site', { body: { query: '{ channels { id } }' } }),
        await ask.rest('GET', '/graphql/site/schema.graphql'),
        await ask.rest('PUT', '/graphql'),
        await ask.rest('PUT', path, { body: {} }),
        await ask.rest('OPTIONS', path),
      ];
      for (const { headers } of answers) {
        expect([kind, headers.get('cache-control')]).toEqual([kind, 'private, no-cache']);
        expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
        expect(headers.get('x-powered-by')).toBeNull();
        const vary = headers.get('vary')?.toLowerCase() ?? '';
        for (const name of ['authorization', 'session-token', 'x-service-session-token', 'x-service-site'])
          expect(vary).toContain(name);
      }
    }
  });
});

describe('V25: a page that holds a key', () => {
  const browser = { Accept: 'text/html' };

  test.each(['/', '/graphql', '/docs', '/console', '/console/invitation'])(
    'the page %s is the same with each credential, and contains none',
    async (path) => {
      const { master, id } = sites.here.site;
      const { session } = sites.here.ada;
      const plain = await send(app, 'GET', path, { headers: browser });
      expect(plain.text).toContain('<html');
      for (const headers of [
        { Authorization: `Bearer ${master}` },
        { Authorization: `Bearer ${master}`, 'Session-Token': session, 'X-Service-Site': id },
        { Cookie: `token=${master}` },
        { Referer: `https://x.example/?token=${master}`, 'X-Forwarded-Host': master },
      ]) {
        for (const query of ['', `?token=${master}`, `?query={channels{id}}&variables={"t":"${session}"}`]) {
          const page = await send(app, 'GET', `${path}${query}`, { headers: { ...browser, ...headers } });
          expect(page.text.match(tokenPattern)).toBeNull();
          expect(page.text).not.toContain(id);
          expect([headers, query, page.text.length]).toEqual([headers, query, plain.text.length]);
        }
      }
    },
  );

  test('pages are off in production, and no door answers HTML', async () => {
    const production = await startApp({ NODE_ENV: 'production' }, app.database);
    try {
      for (const path of ['/graphql', '/graphql/site', '/', '/channels/articles/entries', '/livez', '/nowhere']) {
        for (const headers of [browser, { ...browser, Authorization: `Bearer ${sites.here.site.master}` }]) {
          const answer = await send(production, 'GET', path, { headers });
          expect([path, answer.headers.get('content-type')]).toEqual([path, expect.stringMatching(/json/)]);
          expect(answer.text).not.toMatch(/<html|<script|sandbox/i);
        }
      }
    } finally {
      await production.close();
    }
  });
});
