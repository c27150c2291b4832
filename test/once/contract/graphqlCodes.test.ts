// The table of GraphQL's codes in docs/api.md: it has every code that can be sent, with the statuses of refused requests.
import { readdirSync, readFileSync } from 'node:fs';
import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { describe, expect, test } from '@jest/globals';
import { errorTable } from '../../../src/base/errors.ts';
import { apiPage } from '../../support/apiExamples.ts';
import { send } from '../../support/as.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

/** Codes of Apollo Server that this service never sends. */
const neverSent: readonly string[] = [
  // Persisted queries are off.
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_FOUND,
  // The service itself decides who may introspect: FORBIDDEN.
  ApolloServerValidationErrorCode.INTROSPECTION_DISABLED,
  // The service has limits of its own: QUERY_TOO_COMPLEX.
  ApolloServerValidationErrorCode.MAX_RECURSIVE_SELECTIONS_EXCEEDED,
];

const app = await suiteApp({ NODE_ENV: 'production' });

const [, section = ''] = apiPage.split('\n### Errors in GraphQL\n');
const rows = [...section.matchAll(/^\| `(\w+)`\s*\|([\d, ]*)\|/gm)].map(([, code = '', statuses = '']) => ({
  code,
  statuses: statuses.split(',').map(Number).filter(Boolean),
}));
const own = Object.values(errorTable);

describe('the table', () => {
  test('the table of docs/api.md has each code of the service and of Apollo Server once', () => {
    const apollo = [...Object.values(ApolloServerErrorCode), ...Object.values(ApolloServerValidationErrorCode)];
    const sent = [...own.map(({ graphql }) => graphql), ...apollo].filter((code) => !neverSent.includes(code));
    expect(rows.map(({ code }) => code).sort()).toEqual([...new Set<string>(sent)].sort());
  });

  test('the table of docs/api.md has each code in the source of the GraphQL door', () => {
    const folders = ['graphql', 'features/typed/graphql'].map(
      (path) => new URL(`../../../src/${path}/`, import.meta.url),
    );
    const source = folders.flatMap((folder) =>
      readdirSync(folder, { encoding: 'utf8', recursive: true })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(new URL(name, folder), 'utf8')),
    );
    const written = [...source.join('\n').matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code]) => code);
    expect(written).toContain('BAD_USER_INPUT');
    expect(written.filter((code) => !rows.some((row) => row.code === code))).toEqual([]);
  });
});

interface Sent {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const query = '{ channels { id } }';
const text = (document: string, more: object = {}): Sent => ({ body: JSON.stringify({ query: document, ...more }) });
const byGet = (document: string): Sent => ({ method: 'GET', url: `?query=${encodeURIComponent(document)}` });
const two = 'query A { channels { id } } query B { channels { id } }';
const create = (slug: string): Sent => ({
  ...text(`mutation { createEntry(channel: "articles", input: { slug: "${slug}" }) { id } }`),
  headers: { 'Idempotency-Key': 'one-key' },
});

/** Requests that are refused, by their code and status. Those that are not here, errors.test.ts beside this file reaches. */
const refused: Readonly<Record<string, Sent>> = {
  'GRAPHQL_PARSE_FAILED 400': text('{'),
  'GRAPHQL_VALIDATION_FAILED 400': text('{ secrets }'),
  'OPERATION_RESOLUTION_FAILURE 400': text(two),
  'BAD_REQUEST 400': { body: '[]' },
  'BAD_REQUEST 405': byGet('mutation { deleteEntry(channel: "articles", id: "one") }'),
  'BAD_REQUEST 415': { ...byGet(query), headers: { 'Content-Type': 'text/plain' } },
  'PERSISTED_QUERY_NOT_SUPPORTED 200': { body: '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}' },
  'BAD_USER_INPUT 400': text('query ($id: ID!) { channel(id: $id) { id } }'),
  'BAD_USER_INPUT 422': create('two'),
  'UNAUTHENTICATED 401': { ...text(query), headers: { Authorization: 'Bearer no-token' } },
  'FORBIDDEN 400': text('{ __schema { types { name } } }'),
  'FORBIDDEN 403': { ...text(query), headers: { 'X-Service-Site': 'elsewhere' } },
  'METHOD_NOT_ALLOWED 405': { method: 'PUT', ...text(query) },
  'PAYLOAD_TOO_LARGE 413': text(query, { x: 'x'.repeat(1_048_576) }),
  'URI_TOO_LONG 414': { method: 'GET', url: `?query=${'x'.repeat(9_000)}` },
  'UNSUPPORTED_MEDIA_TYPE 415': { ...text(query), headers: { 'Content-Encoding': 'zstd' } },
  'QUERY_TOO_COMPLEX 400': text(`{ ${'a '.repeat(20_000)} }`),
};

describe('the statuses', () => {
  test('the statuses of the table are those of the error table, with proven exceptions', () => {
    const declared = own.map(({ graphql, status }) => `${graphql} ${status}`);
    const told = rows.flatMap(({ code, statuses }) => statuses.map((status) => `${code} ${status}`));
    expect(told.filter((each) => !(each in refused) && !declared.includes(each))).toEqual([]);
    expect(Object.keys(refused).filter((each) => !told.includes(each))).toEqual([]);
  });

  test('the statuses of the table are those of the answers', async () => {
    const { site } = await buildOne(app);
    expect(await ask(create('one-more'), site.master)).toBe('no error 200');
    for (const [what, sent] of Object.entries(refused)) {
      const token = what === 'FORBIDDEN 400' ? site.public : site.master;
      expect([what, await ask(sent, token)]).toEqual([what, what]);
    }
  });

  /** Sends a request. @returns the code and the status of its answer */
  async function ask({ method = 'POST', url = '', headers, body }: Sent, token: string): Promise<string> {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const answer = await send<{ errors?: { extensions: { code: string } }[] }>(app, method, `/graphql${url}`, {
      headers: { Authorization: `Bearer ${token}`, ...type, ...headers },
      ...(body !== undefined && { body }),
    });
    return `${answer.body.errors?.[0]?.extensions.code ?? 'no error'} ${answer.status}`;
  }
});
