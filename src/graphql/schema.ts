// Builds the executable schema from the SDL files of schema/ and the resolvers.
import { readFileSync, readdirSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { printSchema, type GraphQLSchema } from 'graphql';
import { enums } from '../base/enums.ts';
import type { Resolvers } from '../generated/graphql/types.ts';
import { addMemberWriters } from './executor/entryMembers.ts';
import { dateTimeScalar, jsonObjectScalar, jsonScalar } from './scalars.ts';

/** Some of the resolvers: of each type, the fields of one part of the service. */
export type ResolversPart = { readonly [Type in keyof Resolvers]?: Partial<NonNullable<Resolvers[Type]>> };

/** In the package's root. The relative path is the same from src/graphql/ and from dist/graphql/. */
const schemaDirectory = new URL('../../schema/', import.meta.url);

/** Builds the schema that is served. @param resolvers those of all features */
export function createSchema(resolvers: Resolvers): GraphQLSchema {
  const files = readdirSync(schemaDirectory).filter((name) => name.endsWith('.graphql'));
  const schema = makeExecutableSchema({
    typeDefs: files.map((name) => readFileSync(new URL(name, schemaDirectory), 'utf8')),
    resolvers: { ...resolvers, ...enums, DateTime: dateTimeScalar, JSON: jsonScalar, JSONObject: jsonObjectScalar },
  });
  addMemberWriters(schema);
  return schema;
}

/** The served schema in the schema definition language. */
export function printStaticSchema(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}
