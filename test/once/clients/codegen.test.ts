// graphql-request, with what GraphQL Code Generator's client preset makes of the endpoint's introspection: the generated code
// compiles with a typed call, and a call with a wrong type does not.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import { preset } from '@graphql-codegen/client-preset';
import { afterAll, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, parse, printSchema, type IntrospectionQuery } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { diagnose } from './diagnose.ts';
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

/** Generates the client's code into a directory, from the schema that the endpoint tells. */
async function generateInto(directory: string): Promise<void> {
  const client = new GraphQLClient(endpoint, { headers: visitor });
  const schema = buildClientSchema(await client.request<IntrospectionQuery>(getIntrospectionQuery()));
  const files = await preset.buildGeneratesSection({
    baseOutputDir: `${join(directory, 'gql')}/`,
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents: [{ location: 'films.graphql', rawSDL: document, document: parse(document) }],
    config: { useTypeImports: true },
    presetConfig: { fragmentMasking: false },
    plugins: [],
    pluginMap: {},
    pluginContext: {},
    documentTransforms: [],
  });
  for (const file of files) {
    mkdirSync(dirname(file.filename), { recursive: true });
    writeFileSync(file.filename, await codegen({ ...file, cache: async (_namespace, _key, make) => make() }));
  }
}

// Before the test that compiles: a compilation holds up the service of this process until idle connections are closed.
test('graphql-request sends what is typed, and gets it', async () => {
  const client = new GraphQLClient(endpoint, { headers: visitor });
  const { entries } = await client.request<{ entries: { totalCount: number; nodes: { slug: string }[] } }>(document, {
    first: 2,
  });
  expect(entries.totalCount).toBe(filmCount);
  expect(entries.nodes.map(({ slug }) => slug)).toEqual(['film-1', 'film-2']);
});

test('the code that is generated from introspection compiles, and holds calls to their types', async () => {
  // Below the project, so that the generated code finds the libraries that it imports.
  const directory = scratchDirectory(join(import.meta.dirname, '../../..'));
  await generateInto(directory);
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  expect(diagnose(write('good.ts', call('{ first: 3 }', 'slug')))).toEqual([]);
  expect(diagnose(write('wrong.ts', call('{ first: "3" }', 'slug')))).toHaveLength(1);
  expect(diagnose(write('absent.ts', call('{ first: 3 }', 'slog')))).not.toEqual([]);
});
