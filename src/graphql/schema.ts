// The executable schema: the SDL files of schema/ with the resolvers.
import { readFileSync, readdirSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { resolvers } from './resolvers.ts';
import { enums } from '../enums.ts';
import { dateTimeScalar, jsonObjectScalar } from './scalars.ts';

/** In the package's root, at the same distance from src/graphql/ and dist/graphql/. */
const schemaDirectory = new URL('../../schema/', import.meta.url);

/** Builds the schema that is served. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(schemaDirectory).filter((name) => name.endsWith('.graphql'));
  return makeExecutableSchema({
    typeDefs: files.map((name) => readFileSync(new URL(name, schemaDirectory), 'utf8')),
    resolvers: { ...resolvers, ...enums, DateTime: dateTimeScalar, JSONObject: jsonObjectScalar },
  });
}
