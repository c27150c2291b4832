// The schemas of sites (docs/contract.md §11.2): each is built when a request first needs it, and kept for a while. A schema is
// never changed: when a channel changes, requests from then on get another one.
import type { ApolloServer } from '@apollo/server';
import { printSchema, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { BriefChannel } from '../../auth/directory.ts';
import type { GraphqlLimits } from '../../config.ts';
import type { Context } from '../../context.ts';
import { presentKnown, type KnownChannel, type KnownChannels } from '../../resolvers/channels/describe.ts';
import { mayReadPrivateMembers } from '../../rules/callers.ts';
import { DocumentCache } from '../documents.ts';
import type { GraphqlContext } from '../idempotency.ts';
import { createGraphqlServer } from '../server.ts';
import { buildSiteSchema } from './build.ts';
import { definitionsIn } from './channelTypes.ts';
import { makeCommonTypes, type CommonTypes } from './commonTypes.ts';

/** How many schemas are kept, and about how many bytes they have together. */
const maxKept = { schemas: 200, bytes: 134_217_728 };
/** About how many bytes a schema takes once all of its types are filled in: itself, a channel of it, and a field. */
const estimate = { schema: 65_536, channel: 16_384, field: 1_536 };

export interface SiteSchemaOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
  readonly log: Logger;
  /** Finds the channels of a site, in the order of their creation. */
  readonly directory: { channels(site: string): Promise<readonly BriefChannel[]> };
}

interface Kept {
  readonly server: ApolloServer<GraphqlContext>;
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
    const key = `${context.site} ${mayReadPrivateMembers(known) ? 'private' : 'public'} ${known.version} `;
    const found = this.#kept.get(key);
    if (found) return found.server;
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
    const channels = await known.load();
    const { directory: _directory, ...options } = this.#options;
    const server = createGraphqlServer({
      ...options,
      schema: buildSiteSchema(channels, mayReadPrivateMembers(known), this.#common),
      documents: this.#documents.of(key),
      hasPage: false,
    });
    await server.start();
    const kept = { server, bytes: Math.min(estimateBytes(channels), maxKept.bytes) };
    this.#kept.set(key, kept);
    return kept;
  }

  /** The schema of a caller, in the schema definition language. */
  async print(known: KnownChannels): Promise<string> {
    // Of its own: a schema that is printed has all of its types filled in.
    return `${printSchema(buildSiteSchema(await known.load(), mayReadPrivateMembers(known), this.#common))}\n`;
  }
}

function estimateBytes(channels: readonly KnownChannel[]): number {
  const fields = channels.reduce((sum, { fields: each }) => sum + definitionsIn(each).length, 0);
  return estimate.schema + channels.length * estimate.channel + fields * estimate.field;
}
