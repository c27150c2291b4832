// Caches the schemas of sites (docs/contract.md §11.2): each is built when a request first needs it. A schema is never
// changed: after a change of a channel, requests get another one.
import type { ApolloServer } from '@apollo/server';
import { isIntrospectionType, isSpecifiedScalarType, printType, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { BriefChannel } from '../../../auth/directory.ts';
import type { GraphqlLimits } from '../../../config/config.ts';
import type { Context, Using, Within } from '../../../resolvers/context.ts';
import { fail } from '../../../base/errors.ts';
import { nextTurn } from '../../../base/eventLoop.ts';
import { SingleFlight } from '../../../base/singleFlight.ts';
import {
  describeUnchanged,
  presentKnown,
  type KnownChannel,
  type KnownChannels,
  type SizedFields,
} from '../../../management/channels/describe.ts';
import { operatorsByKind } from '../../../inputs/lists/operators.ts';
import { mayReadPrivateMembers } from '../../../rules/callers.ts';
import { scopesKey } from '../../../rules/scopes.ts';
import { DocumentCache } from '../../../graphql/documents.ts';
import type { ContextValue } from '../../../graphql/idempotency.ts';
import { printStaticSchema } from '../../../graphql/schema.ts';
import { createGraphqlServer } from '../../../graphql/server.ts';
import { buildSiteSchema, countFields } from './build.ts';
import { definitionsIn } from './channelTypes.ts';
import { makeCommonTypes, type CommonTypes } from './commonTypes.ts';
import type { LazySchema } from '../../../graphql/lazySchema.ts';

/** Maximum number of cached schemas, and their approximate total size in bytes. */
const maxKept = { schemas: 200, bytes: 134_217_728 };
/** Approximate sizes in bytes of a schema, a channel and a field, and of a member of a filled-in type. */
const estimate = { schema: 65_536, channel: 12_288, field: 384, filled: 640 };
/** Approximate maximum size in bytes of the filled-in types of a schema: one that has grown larger is built again. */
const maxFilled = 16_777_216;
/** Maximum sizes in bytes of all texts of schemas together, and of one of them, which `ANSWER_LIMIT` does not bound. */
const maxTexts = { all: 67_108_864, one: 33_554_432 };
/** Maximum size in bytes of JSON of the cached definitions of fields. */
const maxFields = 16_777_216;

export interface SiteSchemaOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
  readonly log: Logger;
  /** Finds the channels of a site, in the order of their creation. */
  readonly directory: { channels(site: string): Promise<readonly BriefChannel[]> };
}

/** The text of a schema; null if it is too large, which is cached as well. */
interface SchemaText {
  readonly text: string | null;
  readonly bytes: number;
}

interface CachedSchema {
  readonly server: ApolloServer<ContextValue>;
  readonly schema: LazySchema;
  /** Its approximate maximum size in bytes. */
  readonly bytes: number;
}

type SchemaContext = Pick<Context, 'site' | 'caller'> & Using<'db'> & Within<'budget'>;

export class SiteSchemas {
  readonly #common: CommonTypes;
  readonly #options: SiteSchemaOptions;
  readonly #documents: DocumentCache;
  readonly #schemas = new LRUCache<string, CachedSchema>({
    max: maxKept.schemas,
    maxSize: maxKept.bytes,
    sizeCalculation: ({ bytes }) => bytes,
    // Running requests keep their server.
    dispose: (_server, key) => this.#documents.drop(key),
  });
  readonly #texts = new LRUCache<string, SchemaText>({
    maxSize: maxTexts.all,
    sizeCalculation: ({ bytes }) => bytes + 1,
  });
  /** The fields of unchanged channels: only those of others are loaded for another schema. */
  readonly #fields = new LRUCache<string, SizedFields>({ maxSize: maxFields, sizeCalculation: ({ bytes }) => bytes });
  /** Builds schemas: null where channels have changed since. Limits of the request that builds one need not stop the others. */
  readonly #building = new SingleFlight<CachedSchema | null>({ sharesFailure: () => false });
  /** Prints texts, which takes longer. */
  readonly #printing = new SingleFlight<SchemaText | null>({ sharesFailure: () => false });

  readonly #static: GraphQLSchema;
  #staticText: string | undefined;

  /** @param schema the static one, which has the types of fixed members */
  constructor(schema: GraphQLSchema, options: SiteSchemaOptions) {
    this.#static = schema;
    this.#common = makeCommonTypes(schema);
    this.#options = options;
    this.#documents = new DocumentCache(options.limits.length);
  }

  /** The server for the current schema of a request's caller. @throws answer_too_large; unavailable as `Budget` */
  async serverFor(context: SchemaContext): Promise<ApolloServer<ContextValue>> {
    const listed = presentKnown(await this.#options.directory.channels(context.site), context);
    const { server } = await describeUnchanged(listed, context, async (known) => {
      const key = makeKey(known, context.site);
      const found = this.#schemas.get(key);
      if (found && found.schema.filled * estimate.filled <= maxFilled) return found;
      return this.#building.run(key, () => this.#build(key, known));
    });
    return server;
  }

  async #build(key: string, known: KnownChannels): Promise<CachedSchema | null> {
    const channels = await known.load(this.#fields);
    if (channels === null) return null;
    const { directory: _directory, ...options } = this.#options;
    const schema = buildSiteSchema(channels, mayReadPrivateMembers(known), this.#common, known.scopes);
    const documents = this.#documents.of(key);
    const server = createGraphqlServer({ ...options, schema, documents });
    await server.start();
    const built = { server, schema, bytes: Math.min(estimateBytes(channels), maxKept.bytes) };
    this.#schemas.set(key, built);
    return built;
  }

  /** The static schema, in the schema definition language. */
  printStatic(): string {
    return (this.#staticText ??= printStaticSchema(this.#static));
  }

  /**
   * Prints the schema of a caller in the schema definition language.
   * @returns null if channels have changed since they were listed
   * @throws answer_too_large; unavailable as `Budget`
   */
  async print(
    known: KnownChannels,
    { site, admission: { budget } }: Pick<Context, 'site'> & Within<'budget'>,
  ): Promise<string | null> {
    const key = makeKey(known, site);
    const printed = this.#texts.get(key) ?? (await this.#printing.run(key, () => this.#printText(key, known)));
    if (printed === null) return null;
    const { text, bytes } = printed;
    // The response holds the whole text until it is sent.
    await budget.awaitText(bytes);
    return text ?? refuseText();
  }

  async #printText(key: string, known: KnownChannels): Promise<SchemaText | null> {
    // A separate schema, because printing fills in all of its types.
    const channels = await known.load(this.#fields);
    if (channels === null) return null;
    const schema = buildSiteSchema(channels, mayReadPrivateMembers(known), this.#common, known.scopes);
    const text = await printInTurns(schema);
    this.#texts.set(key, text);
    return text;
  }
}

/** A key that differs wherever the schema does. */
function makeKey(known: KnownChannels, site: string): string {
  const seen = mayReadPrivateMembers(known) ? 'private' : 'public';
  return `${site} ${seen} ${known.version} ${scopesKey(known.scopes)}`;
}

/** Number of types to print between two turns of the event loop. */
const typesPerTurn = 20;

/** Prints a schema, unless its text becomes too large. */
async function printInTurns(schema: GraphQLSchema): Promise<SchemaText> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const texts: string[] = [];
  let bytes = 0;
  for (const [index, type] of types.entries()) {
    const text = `${index === 0 ? '' : '\n'}${printType(type)}\n`;
    bytes += Buffer.byteLength(text);
    if (bytes > maxTexts.one) return { text: null, bytes: 0 };
    texts.push(text);
    if (index % typesPerTurn === 0) await nextTurn();
  }
  return { text: texts.join(''), bytes };
}

function refuseText(): never {
  const cause = `The text of the schema would be larger than ${maxTexts.one} bytes.`;
  fail('answer_too_large', `${cause} The site needs fewer channels or fields, or shorter labels and hints.`);
}

/**
 * The approximate size in bytes of a schema with filled-in types: about eight members for each field, and for each
 * select its options and the operators that compare them.
 */
export function estimateBytes(channels: readonly Pick<KnownChannel, 'fields'>[]): number {
  const fields = countFields(channels);
  const selects = channels.flatMap((each) => definitionsIn(each.fields).filter(({ options }) => options !== null));
  const options = selects.flatMap((select) => select.options ?? []);
  const filled = 8 * (fields + 20 * channels.length) + options.length + operatorsByKind.text.length * selects.length;
  const members = Math.min(filled * estimate.filled, maxFilled);
  const texts = options.reduce((sum, option) => sum + Buffer.byteLength(option), 0);
  return estimate.schema + channels.length * estimate.channel + fields * estimate.field + texts + members;
}
