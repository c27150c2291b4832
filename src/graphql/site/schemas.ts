// The schemas of sites (docs/contract.md §11.2): each is built when a request first needs it, and kept for a while. A schema is
// never changed: when a channel changes, requests from then on get another one.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ApolloServer } from '@apollo/server';
import { isIntrospectionType, isSpecifiedScalarType, printType, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { BriefChannel } from '../../auth/directory.ts';
import type { GraphqlLimits } from '../../config.ts';
import type { Context } from '../../context.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { presentKnown, type KnownChannel, type KnownChannels } from '../../resolvers/channels/describe.ts';
import { mayReadPrivateMembers } from '../../rules/callers.ts';
import { DocumentCache } from '../documents.ts';
import type { GraphqlContext } from '../idempotency.ts';
import { createGraphqlServer } from '../server.ts';
import { buildSiteSchema, countFields } from './build.ts';
import { makeCommonTypes, type CommonTypes } from './commonTypes.ts';
import type { LazySchema } from './lazySchema.ts';

/** How many schemas are kept, and about how many bytes they have together. */
const maxKept = { schemas: 200, bytes: 134_217_728 };
/** About how many bytes a schema, a channel and a field take, and a member of a type that is filled in. */
const estimate = { schema: 65_536, channel: 12_288, field: 384, filled: 640 };
/** About how many bytes a schema takes at most besides its channels and fields: one that has grown larger is built again. */
const maxFilled = 16_777_216;
/** How many characters the texts of schemas have together at most, and one of them. */
const maxTexts = { all: 67_108_864, one: 16_777_216 };
/** How many bytes of JSON the definitions of fields have together that are kept for the next schema of their site. */
const maxFields = 16_777_216;

export interface SiteSchemaOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
  readonly log: Logger;
  /** Finds the channels of a site, in the order of their creation. */
  readonly directory: { channels(site: string): Promise<readonly BriefChannel[]> };
}

interface Kept {
  readonly server: ApolloServer<GraphqlContext>;
  readonly schema: LazySchema;
  /** About how many bytes it takes at most. */
  readonly bytes: number;
}

type SchemaContext = Pick<Context, 'site' | 'caller' | 'db' | 'budget'>;

export class SiteSchemas {
  readonly #common: CommonTypes;
  readonly #options: SiteSchemaOptions;
  readonly #documents = new DocumentCache();
  readonly #kept = new LRUCache<string, Kept>({
    max: maxKept.schemas,
    maxSize: maxKept.bytes,
    sizeCalculation: ({ bytes }) => bytes,
    // Requests that are under way go on with the server that they have.
    dispose: (_server, key) => this.#documents.drop(key),
  });
  readonly #texts = new LRUCache<string, string>({
    maxSize: maxTexts.all,
    maxEntrySize: maxTexts.one,
    sizeCalculation: (text) => text.length + 1,
  });
  /** Of channels that did not change: only the others are loaded for another schema. */
  readonly #fields = new LRUCache<string, Pick<Channel, 'fields'>>({
    maxSize: maxFields,
    sizeCalculation: ({ fields }) => JSON.stringify(fields).length,
  });
  /** The schemas that are being built, so that requests that come at the same time wait for the same one. */
  readonly #underway = new Map<string, Promise<Kept>>();

  /** @param schema the static one, from which the types of fixed members are taken */
  constructor(schema: GraphQLSchema, options: SiteSchemaOptions) {
    this.#common = makeCommonTypes(schema);
    this.#options = options;
  }

  /** The server of the schema that the caller of a request has now. @throws answer_too_large; unavailable as `Budget` does */
  async serverFor(context: SchemaContext): Promise<ApolloServer<GraphqlContext>> {
    const known = presentKnown(await this.#options.directory.channels(context.site), context);
    const key = makeKey(known, context.site);
    const found = this.#kept.get(key);
    if (found && found.schema.filled * estimate.filled <= maxFilled) return found.server;
    const underway = this.#underway.get(key);
    if (underway) {
      // What stopped the request that builds it need not stop this one.
      const built = await underway.catch(() => null);
      return built?.server ?? this.serverFor(context);
    }
    const building = this.#build(key, known);
    this.#underway.set(key, building);
    try {
      return (await building).server;
    } finally {
      this.#underway.delete(key);
    }
  }

  async #build(key: string, known: KnownChannels): Promise<Kept> {
    const channels = await known.load(this.#fields);
    const { directory: _directory, ...options } = this.#options;
    const schema = buildSiteSchema(channels, mayReadPrivateMembers(known), this.#common);
    const documents = this.#documents.of(key);
    const server = createGraphqlServer({ ...options, schema, documents });
    await server.start();
    const kept = { server, schema, bytes: Math.min(estimateBytes(channels), maxKept.bytes) };
    this.#kept.set(key, kept);
    return kept;
  }

  /** The schema of a caller, in the schema definition language. @throws answer_too_large; unavailable as `Budget` does */
  async print(known: KnownChannels, site: string): Promise<string> {
    const key = makeKey(known, site);
    const kept = this.#texts.get(key);
    if (kept !== undefined) return kept;
    // Of its own: a schema that is printed has all of its types filled in.
    const schema = buildSiteSchema(await known.load(this.#fields), mayReadPrivateMembers(known), this.#common);
    const text = await printInTurns(schema);
    this.#texts.set(key, text);
    return text;
  }
}

/** What differs wherever the schema does. */
function makeKey(known: KnownChannels, site: string): string {
  return `${site} ${mayReadPrivateMembers(known) ? 'private' : 'public'} ${known.version} `;
}

/** How many types are printed before other requests have their turn. */
const typesInTurn = 20;

async function printInTurns(schema: GraphQLSchema): Promise<string> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const texts: string[] = [];
  for (const [index, type] of types.entries()) {
    texts.push(printType(type));
    if (index % typesInTurn === 0) await yieldToOthers();
  }
  return `${texts.join('\n\n')}\n`;
}

/** About how many bytes a schema takes once its types are filled in: about eight members for each field. */
function estimateBytes(channels: readonly KnownChannel[]): number {
  const fields = countFields(channels);
  const members = Math.min(8 * (fields + 20 * channels.length) * estimate.filled, maxFilled);
  return estimate.schema + channels.length * estimate.channel + fields * estimate.field + members;
}
