// The OpenAPI document of the REST interface for one caller (docs/contract.md §11): made from the table of routes, the
// schemas of inputs and answers, and the channels that the caller may know. A document is cached until the caller's
// channels change.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { nextTurn } from '../../../base/eventLoop.ts';
import { SingleFlight } from '../../../base/singleFlight.ts';
import { compiledFields } from '../../../fields/compiled.ts';
import type { JsonSchema } from '../../../fields/jsonSchema.ts';
import type { KnownChannel, KnownChannels } from '../../../management/channels/describe.ts';
import { anyToken, settableGroups } from '../../../rules/callers.ts';
import type { Route } from '../../../rest/route.ts';
import { hasSiteScope, reachNamed, scopesKey, unscoped } from '../../../rules/scopes.ts';
import { entrySchemas, schemaName, type SchemaScope } from './channel.ts';
import { commonSchemas, headerComponents, headerRefs, refusalComponents, refusalRef } from './components.ts';
import type { EntrySchemaName } from '../../../rest/description.ts';
import { DescribedFilters } from './filters.ts';
import { parameterComponents } from './parameters.ts';
import { describePaths, isOfEntries } from './paths.ts';

/** Maximum number of declared fields for which payloads have examples. */
const maxDetailedFields = 5_000;
/** Maximum length in characters of all cached documents together, and of one of them. */
const maxKeptBytes = { all: 67_108_864, one: 16_777_216 };

/** Callers differ by their kinds, of members by their rights, and by the scopes of their tokens. */
const maxCommonParts = 32;

/** A document, and a tag that differs wherever the document does. */
export interface DocumentSource {
  readonly tag: string;
  /** @returns null if channels have changed since they were listed, so that the tag would not be that of the text */
  readonly write: () => Promise<string | null>;
}

/** Makes the documents of a table of routes. */
export class Documents {
  readonly #routes: () => readonly Route[];
  readonly #documents = new LRUCache<string, string>({
    maxSize: maxKeptBytes.all,
    maxEntrySize: maxKeptBytes.one,
    sizeCalculation: (text) => text.length + 1,
  });
  /** Makes documents: null where channels have changed since. Limits of the request that makes one need not stop the others. */
  readonly #underway = new SingleFlight<string | null>({ sharesFailure: () => false });
  readonly #common = new LRUCache<string, CommonPart>({ max: maxCommonParts });

  /** @param routes returns the table */
  constructor(routes: () => readonly Route[]) {
    this.#routes = routes;
  }

  /**
   * The document for a caller.
   * @param known the channels that exist to the caller; null for the common document, which depends on no caller
   */
  describe(known: KnownChannels | null, baseUrl: string): DocumentSource {
    const kind = known?.kind ?? null;
    const common = this.#commonPart(known);
    const ofCaller = [kind ?? '', known?.version ?? '', scopesKey(known?.scopes ?? null), known?.settableKey() ?? ''];
    const key = createHash('sha256')
      .update([common.digest, ...ofCaller].join(' '))
      .digest('base64url');
    const tag = createHash('sha256').update(`${key} ${baseUrl}`).digest('base64url').slice(0, 22);
    const head = `{"openapi":"3.1.1","servers":${JSON.stringify([{ url: baseUrl }])},`;
    return {
      tag: `"${tag}"`,
      write: async () => {
        const text = known === null ? join(common, []) : await this.#write(key, common, known);
        return text === null ? null : head + text;
      },
    };
  }

  /** Makes, or reads from the cache, the text after the head of a document. */
  async #write(key: string, common: CommonPart, known: KnownChannels): Promise<string | null> {
    const make = async (): Promise<string | null> => {
      const text = await this.#make(common, known);
      if (text !== null) this.#documents.set(key, text);
      return text;
    };
    return this.#documents.get(key) ?? this.#underway.run(key, make);
  }

  async #make(common: CommonPart, known: KnownChannels): Promise<string | null> {
    const { kind } = known;
    const channels = await known.load();
    if (channels === null) return null;
    const fields = channels.reduce((sum, each) => sum + compiledFields(each).definitions.length, 0);
    const described = new Set(channels.map(({ id }) => id));
    const scope = { kind, settable: known.settable, described, isDetailed: fields <= maxDetailedFields };
    const filters = new DescribedFilters(kind, channels);
    const ofEntries = this.#routes().filter((route) => isOfEntries(route) && isOffered(route, known));
    const parts: Part[] = [];
    for (const channel of channels) {
      const own = ofEntries.filter((route) => isInScopes(route, known, channel.id));
      parts.push(describeChannel(channel, scope, filters.parametersOf(channel), own));
      // Lets other requests run in between: a site can have many channels.
      await nextTurn();
    }
    return join(common, parts);
  }

  #commonPart(known: KnownChannels | null): CommonPart {
    const rights = known?.kind === 'user' ? known.rights : [];
    const settable = [...(known?.settable ?? [])];
    const key = [known?.kind ?? '', ...rights, ...settable, scopesKey(known?.scopes ?? null)].join(' ');
    const cached = this.#common.get(key);
    if (cached !== undefined) return cached;
    const common = describeCommon(known, this.#routes());
    this.#common.set(key, common);
    return common;
  }
}

/** The properties of a caller that decide which routes its document has. */
type Offer = Pick<KnownChannels, 'kind' | 'rights' | 'scopes'>;

/** Whether a caller may request a route: with a user token by the rights that it needs, and by the scopes of its token. */
function isOffered(route: Route, { kind, rights, scopes }: Offer): boolean {
  const { callers, needs } = route;
  const isOfKind = callers.includes(kind) && (kind !== 'user' || needs.every((right) => rights.includes(right)));
  return isOfKind && isInScopes(route, { scopes }, null);
}

/** Whether a token's scopes have what a route needs, in a channel; null for any. */
function isInScopes({ scope }: Route, { scopes }: Pick<Offer, 'scopes'>, channel: string | null): boolean {
  if (scopes === null || scope === 'nothing') return true;
  if (scope === 'never') return false;
  if (!('onEntries' in scope)) return scope.every((name) => hasSiteScope(scopes, name));
  const { onEntries, isOfOwn = true } = scope;
  return onEntries.some((name) => {
    const reach = reachNamed(scopes, name, channel);
    return reach === 'all' || (reach === 'own' && isOfOwn);
  });
}

/** Members of the objects `paths`, `schemas` and `tags`, in JSON, without the braces around them. */
interface Part {
  readonly paths: string;
  readonly schemas: string;
  readonly tag: string;
}

interface CommonPart extends Omit<Part, 'tag'> {
  /** The text before the tags, and the text after the schemas. */
  readonly head: string;
  readonly tail: string;
  readonly digest: string;
}

function join({ head, paths, schemas, tail }: CommonPart, parts: readonly Part[]): string {
  const tags = parts.map(({ tag }) => tag).join(',');
  const allPaths = [paths, ...parts.map((each) => each.paths)].join(',');
  const allSchemas = [schemas, ...parts.map((each) => each.schemas)].join(',');
  return `${head}"tags":[${tags}],"paths":{${allPaths}},"components":{"schemas":{${allSchemas}},${tail}}}`;
}

/** The members of an object in JSON, without the braces around them. */
function membersIn(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

/** Describes the paths and schemas of one channel. */
function describeChannel(
  channel: KnownChannel,
  scope: SchemaScope,
  filters: readonly object[],
  routes: readonly Route[],
): Part {
  const { id, name } = channel;
  const own = Object.entries(entrySchemas(channel, scope)) as [EntrySchemaName, JsonSchema][];
  const has = new Set(own.map(([each]) => each));
  const schemas = own.map(([each, schema]) => [schemaName(each, id), schema] as const);
  return {
    paths: membersIn(describePaths(routes, { id, has, filters })),
    schemas: membersIn(Object.fromEntries(schemas)),
    tag: JSON.stringify({ name: id, description: name }),
  };
}

const info = {
  title: 'Entryway',
  version: '1',
  description:
    'Entries in channels of sites. Every path that takes GET takes HEAD, and every path takes OPTIONS. In a query, lists ' +
    '(`sort`, `only`, `include`) are sent with commas. Comparisons that are no parameters here are sent in `where`.',
};

/**
 * Describes the common part of all sites. @param known of the caller; null for operations that every kind of token may
 * use
 */
function describeCommon(known: KnownChannels | null, routes: readonly Route[]): CommonPart {
  const kind = known?.kind ?? null;
  const own = routes.filter((route) =>
    known === null ? anyToken.every((each) => route.callers.includes(each)) : isOffered(route, known),
  );
  const settable = known?.settable ?? settableGroups({ kind: 'public', scopes: unscoped }, '');
  const schemas = entrySchemas(null, { kind: kind ?? 'public', settable, described: new Set(), isDetailed: true });
  const filters = new DescribedFilters(kind, []);
  const has = new Set(Object.keys(schemas) as EntrySchemaName[]);
  const paths = describePaths(own, { id: null, has, filters: filters.parametersOf(null) });
  const components = {
    parameters: { ...parameterComponents(kind), ...filters.components() },
    headers: headerComponents,
    responses: refusalComponents,
    securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An access token.' } },
  };
  const part = {
    head: `"info":${JSON.stringify(info)},"security":[{"token":[]}],`,
    paths: membersIn({ ...paths, ...healthPaths }),
    schemas: membersIn({ ...commonSchemas, ...schemas }),
    tail: membersIn(components),
  };
  return { ...part, digest: createHash('sha256').update(JSON.stringify(part)).digest('base64url') };
}

const health = (status: string): object => ({
  description: status,
  headers: headerRefs([...(status === 'unavailable' ? (['Retry-After'] as const) : [])]),
  content: {
    'application/json': {
      schema: { type: 'object', properties: { status: { const: status } }, required: ['status'] },
    },
  },
});

/** The probes of src/http/health.ts. */
const healthPaths = {
  '/livez': {
    get: {
      operationId: 'live',
      summary: 'Whether the process lives',
      security: [],
      responses: { 200: health('live'), 400: refusalRef(400) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'ready',
      summary: 'Whether the service can serve',
      security: [],
      responses: { 200: health('ready'), 400: refusalRef(400), 503: health('unavailable') },
    },
  },
};
