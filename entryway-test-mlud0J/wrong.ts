
import { GraphQLClient } from 'graphql-request';
import { graphql } from './gql/index.js';
const films = graphql("query Films($where: FilmWhere, $sort: [FilmSort!]) {\n  films(where: $where, sort: $sort, first: 3) { totalCount nodes { slug title year } }\n}");
export async function ask(client: GraphQLClient): Promise<(string | number | null | undefined)[]> {
  const { films: page } = await client.request(films, { where: { year: { gte: "1990" } } });
  return (page?.nodes ?? []).map(({ title }) => title);
}
