// Writes src/generated/graphql/types.ts, the types that resolvers are held to, from the SDL in schema/.
// The plugins are run by program: fast, and without the code generator's command line and all that it brings.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { Source, buildASTSchema, concatAST, parse, validateSchema, type DocumentNode } from 'graphql';
import { enums } from './src/base/enums.ts';

const schemaDirectory = join(import.meta.dirname, 'schema');
const outputFile = join(import.meta.dirname, 'src/generated/graphql/types.ts');

/** What resolvers hand on as a type's value, where that is not the type's own shape; paths are seen from the output. */
const mappers = {
  Entry: '../../serializers/entry.ts#PublicEntry',
  Channel: '../../serializers/channel.ts#PublicChannel',
  Field: '../../serializers/channel.ts#ShownField',
  OperationResult: '../../resolvers/entries/bulk.ts#BulkOutcome',
  EntryConnection: '../../serializers/connection.ts#EntryPage',
  Change: '../../features/changes/serializer.ts#PublicChange',
  ChangeConnection: '../../features/changes/serializer.ts#ChangePage',
  EntryStub: '../../serializers/entry.ts#Stub',
  AccessExplanation: '../../features/explain/serializer.ts#ToldExplanation',
  AccessDecision: '../../features/explain/serializer.ts#ToldDecision',
  FieldDecision: '../../features/explain/serializer.ts#ToldFieldDecision',
  ChannelAclPreview: '../../features/explain/serializer.ts#AclPreview',
  SightChange: '../../features/explain/serializer.ts#SightDifference',
  ChangedEntries: '../../features/explain/serializer.ts#NamedEntries',
  MemberConnection: '../../management/members/serializer.ts#MemberPage',
  Me: '../../management/me/serializer.ts#PublicMe',
  CustomerConnection: '../../management/customers/serializer.ts#CustomerPage',
  AuditRecord: '../../features/audit/serializer.ts#PublicAuditRecord',
  AuditConnection: '../../features/audit/serializer.ts#AuditPage',
  WebhookDelivery: '../../features/webhooks/serializer.ts#PublicDelivery',
  WebhookDeliveryConnection: '../../features/webhooks/serializer.ts#DeliveryPage',
};

const scalars = {
  ID: 'string',
  DateTime: { input: 'string | Date', output: 'Date | string' },
  JSON: 'unknown',
  JSONObject: { input: 'Record<string, unknown>', output: '../../serializers/shownFields.ts#ShownFields' },
};

const config: typescript.TypeScriptPluginConfig & resolvers.TypeScriptResolversPluginConfig = {
  contextType: '../../resolvers/context.ts#Context',
  mappers,
  scalars,
  useTypeImports: true,
  enumsAsTypes: true,
  enumValues: enums,
  skipTypename: true,
  // Resolvers are functions, so that REST can call them.
  makeResolverTypeCallable: true,
  // A query or mutation without a resolver, and a value that lacks a key, fail to compile; arguments may stay absent.
  avoidOptionals: { field: true, query: true, mutation: true },
};

function readSchema(): DocumentNode {
  const names = readdirSync(schemaDirectory)
    .filter((name) => name.endsWith('.graphql'))
    .sort();
  return concatAST(names.map((name) => parse(new Source(readFileSync(join(schemaDirectory, name), 'utf8'), name))));
}

const document = readSchema();
const schema = buildASTSchema(document);
const [problem] = validateSchema(schema);
if (problem) throw problem;

const types = await codegen({
  filename: outputFile,
  schema: document,
  schemaAst: schema,
  documents: [],
  config,
  pluginMap: { typescript, resolvers },
  plugins: [{ typescript: {} }, { resolvers: {} }],
});
mkdirSync(join(outputFile, '..'), { recursive: true });
writeFileSync(outputFile, `// Written by codegen.ts from schema/. Not to be edited.\n${types}`);
