// GraphQL Code Generator's client preset with the schema of a site: what it makes compiles against real answers, and a misspelt
// field, a wrong operator and an unknown option do not (docs/contract.md §11.2). `entryway schema` prints what it is made from.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { GraphQLClient } from 'graphql-request';
import { entryway } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { diagnose } from '../clients/diagnose.ts';
import { generateCode } from '../clients/generate.ts';
import { suiteFilms } from '../clients/library.ts';

const { app, db, site, visitor } = await suiteFilms();
afterAll(removeScratch);
await db.channel.update({ where: { siteId_id: { siteId: site.id, id: 'films' } }, data: { typeName: 'Film' } });

const document = `query Films($where: FilmWhere, $sort: [FilmSort!]) {
  films(where: $where, sort: $sort, first: 3) { totalCount nodes { slug title year } }
}`;

const call = (variables: string, member: string): string => `
import { GraphQLClient } from 'graphql-request';
import { graphql } from './gql/index.js';
const films = graphql(${JSON.stringify(document)});
export async function ask(client: GraphQLClient): Promise<(string | number | null | undefined)[]> {
  const { films: page } = await client.request(films, ${variables});
  return (page?.nodes ?? []).map(({ ${member} }) => ${member});
}
`;

async function readSchema(): Promise<string> {
  const { status, text } = await fetch(`${app.url}/graphql/site/schema.graphql`, { headers: visitor }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
  );
  expect(status).toBe(200);
  return text;
}

// Before the test that compiles: a compilation holds up the service of this process until idle connections are closed.
test('a query with generated types gets values of these types', async () => {
  const client = new GraphQLClient(`${app.url}/graphql/site`, { headers: visitor });
  const variables = { where: { year: { gte: 1993 } }, sort: ['YEAR_DESC'] };
  const { films } = await client.request<{ films: { nodes: object[] } }>(document, variables);
  expect(films.nodes[0]).toEqual({ slug: 'film-8', title: 'Film 8', year: 1998 });
});

test('`entryway schema` prints the schema for the token, or the fault of the token', async () => {
  const sdl = await readSchema();
  const token = site.public;
  const { code, stdout, stderr } = await entryway(['schema'], { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: token });
  expect([code, stderr, stdout]).toEqual([0, '', sdl]);
  const refused = await entryway(['schema', '--json'], { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: 'ew_public_no' });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/does not know this token/)]);
});

test('generated code compiles, and a misspelt field does not', async () => {
  // Below the project, so that the generated code finds the libraries that it imports.
  const directory = scratchDirectory(join(import.meta.dirname, '../../..'));
  await generateCode(directory, await readSchema(), document, { scalars: { SafeInt: 'number' } });
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  expect(diagnose(write('good.ts', call('{ where: { year: { gte: 1990 } } }', 'title')))).toEqual([]);
  expect(diagnose(write('misspelt.ts', call('{ where: { year: { gte: 1990 } } }', 'titel')))).not.toEqual([]);
  expect(diagnose(write('unknown.ts', call('{ where: { yaer: { gte: 1990 } } }', 'title')))).not.toEqual([]);
  expect(diagnose(write('wrong.ts', call('{ where: { year: { gte: "1990" } } }', 'title')))).not.toEqual([]);
}, 600_000);
