// Builds the executable schema from the SDL files of schema/ and the resolvers.
import { readFileSync, readdirSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { printSchema, type GraphQLSchema } from 'graphql';
import { enums } from '../base/enums.ts';
import { addMemberWriters } from './executor/entryMembers.ts';
import { resolvers } from '../features/resolvers.ts';
import { dateTimeScalar, jsonObjectScalar, jsonScalar } from './scalars.ts';

/** In the package's root. The relative path is the same from src/graphql/ and from dist/graphql/. */
const schemaDirectory = new URL('../../schema/', import.meta.url);

/** Builds the schema that is served. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(schemaDirectory).filter((name) => name.endsWith('.graphql'));
  const schema = makeExecutableSchema({
    typeDefs: files.map((name) => readFileSync(new URL(name, schemaDirectory), 'utf8')),
    resolvers: { ...resolvers, ...enums, DateTime: dateTimeScalar, JSON: jsonScalar, JSONObject: jsonObjectScalar },
  });
  addMemberWriters(schema);
  return schema;
}

/** The served schema in the schema definition language. */
export function printStaticSchema(): string {
  return `${printSchema(createSchema())}\n`;
}
