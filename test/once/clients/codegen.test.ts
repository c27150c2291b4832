// graphql-request, with what GraphQL Code Generator's client preset makes of the endpoint's introspection: the generated code
// compiles with a typed call, and a call with a wrong type does not.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, printSchema, type IntrospectionQuery } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { diagnose } from './diagnose.ts';
import { generateCode } from './generate.ts';
import { filmCount, suiteFilms } from './library.ts';

const { endpoint, visitor } = await suiteFilms();
afterAll(removeScratch);

const document = `query Films($first: Int) {
  entries(channel: "films", sort: ["year"], first: $first) { totalCount nodes { slug status titleFieldValue } }
}`;

const call = (variables: string, member: string): string => `
import { GraphQLClient } from 'graphql-request';
import { graphql } from './gql/index.js';
const films = graphql(${JSON.stringify(document)});
export async function ask(client: GraphQLClient): Promise<string[]> {
  const { entries } = await client.request(films, ${variables});
  return (entries?.nodes ?? []).map(({ ${member} }) => ${member});
}
`;

/** The schema that the endpoint tells. */
async function introspect(): Promise<string> {
  const client = new GraphQLClient(endpoint, { headers: visitor });
  return printSchema(buildClientSchema(await client.request<IntrospectionQuery>(getIntrospectionQuery())));
}

// Before the test that compiles: a compilation holds up the service of this process until idle connections are closed.
test('graphql-request sends and receives the values of the generated types', async () => {
  const client = new GraphQLClient(endpoint, { headers: visitor });
  const { entries } = await client.request<{ entries: { totalCount: number; nodes: { slug: string }[] } }>(document, {
    first: 2,
  });
  expect(entries.totalCount).toBe(filmCount);
  expect(entries.nodes.map(({ slug }) => slug)).toEqual(['film-1', 'film-2']);
});

test('the code that is generated from introspection compiles, and rejects calls of other types', async () => {
  // Below the project, so that the generated code finds the libraries that it imports.
  const directory = scratchDirectory(join(import.meta.dirname, '../../..'));
  await generateCode(directory, await introspect(), document);
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  expect(diagnose(write('good.ts', call('{ first: 3 }', 'slug')))).toEqual([]);
  expect(diagnose(write('wrong.ts', call('{ first: "3" }', 'slug')))).toHaveLength(1);
  expect(diagnose(write('absent.ts', call('{ first: 3 }', 'slog')))).not.toEqual([]);
});
