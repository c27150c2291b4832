// The executable schema: the SDL files of schema/, and the resolvers.
import { readFileSync, readdirSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { JSONObjectResolver, JSONResolver } from 'graphql-scalars';
import { resolvers } from './resolvers.ts';
import { enums } from '../enums.ts';
import { dateTime } from './scalars.ts';

/** The SDL files stand in the package's root, beside src/ and dist/ alike. */
const directory = new URL('../../schema/', import.meta.url);

/** The schema that is served. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(directory).filter((name) => name.endsWith('.graphql'));
  return makeExecutableSchema({
    typeDefs: files.map((name) => readFileSync(new URL(name, directory), 'utf8')),
    resolvers: { ...resolvers, ...enums, DateTime: dateTime, JSON: JSONResolver, JSONObject: JSONObjectResolver },
  });
}
