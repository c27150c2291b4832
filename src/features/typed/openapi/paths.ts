// The paths of the OpenAPI document: an operation for each row of the REST table.
import { changesWhatIsThere } from '../../../rest/conditions.ts';
import { mergePatchType } from '../../../rest/mediaTypes.ts';
import type { PathParameter, Route } from '../../../rest/route.ts';
import { schemaName } from './channel.ts';
import { headerRefs, refusalRef, type AnswerHeaderName } from './components.ts';
import { entrySchemaNames, type EntrySchemaName, type SchemaName } from '../../../rest/description.ts';
import { everyRequest, pathParameterList, queryParameter, refs } from './parameters.ts';

/** The channel of a path's entries; null for any. */
export interface PathChannel {
  readonly id: string | null;
  /** The names of the channel's own schemas. */
  readonly has: ReadonlySet<EntrySchemaName>;
  /** The comparisons of its lists. */
  readonly filters: readonly object[];
}

/** Whether a route is about a channel's entries, so that each described channel has it at a path of its own. */
export function isOfEntries({ path }: Route): boolean {
  return path.startsWith('/channels/:channel/entries');
}

/** The path items of some routes, by their paths. */
export function describePaths(routes: readonly Route[], channel: PathChannel): Record<string, object> {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return Object.fromEntries(
    paths.map((path) => {
      const here = routes.filter((each) => each.path === path);
      const channelPath = channel.id === null ? path : path.replace(':channel', channel.id);
      const parameters = [...channelPath.matchAll(/:(\w+)/g)].map(([, name]) => name as PathParameter);
      const methods = here.map((each) => [each.method.toLowerCase(), describeRoute(each, channel)]);
      const item = {
        parameters: [
          ...pathParameterList(parameters),
          ...everyRequest(here.some(({ siteIsOptional }) => siteIsOptional)),
        ],
        ...(Object.fromEntries(methods) as object),
      };
      return [channelPath.replaceAll(/:(\w+)/g, '{$1_id}'), item];
    }),
  );
}

function describeRoute(route: Route, channel: PathChannel): object {
  const { method, path, parameters, takesFilters, description, respondsToNobody } = route;
  const { id, summary, headers = [], body, include } = description;
  const writes = method !== 'GET';
  const all = [
    ...parameters.flatMap((name) => queryParameter(name, channel, include)),
    ...(takesFilters ? channel.filters : []),
    ...refs([
      ...headers,
      ...(changesWhatIsThere(method) ? (['If-Match', 'If-None-Match'] as const) : []),
      ...(writes ? (['Idempotency-Key'] as const) : []),
    ]),
  ];
  return {
    operationId: channel.id === null ? id : `${channel.id}.${id}`,
    summary,
    tags: [channel.id ?? path.split('/')[1] ?? ''],
    ...(respondsToNobody && { security: [{}, { token: [] }] }),
    ...(all.length > 0 && { parameters: all }),
    ...(body !== undefined && { requestBody: describeBody(route, body, channel) }),
    responses: {
      ...describeAnswer(route, channel),
      ...Object.fromEntries(refusals(route).map((status) => [status, refusalRef(status)])),
    },
  };
}

/** The reference to a schema: that of the channel, if it has one of its own. */
function namedRef(name: SchemaName, { id }: PathChannel): object {
  const isOwn = (entrySchemaNames as readonly string[]).includes(name);
  return { $ref: `#/components/schemas/${isOwn ? schemaName(name as EntrySchemaName, id) : name}` };
}

function describeBody({ method, bodyIsOptional }: Route, body: SchemaName, channel: PathChannel): object {
  const content = { 'application/json': { schema: namedRef(body, channel) } };
  // In management, a merged member accepts the same values as one that replaces.
  const patch = { [mergePatchType]: { schema: namedRef(body === 'EntryChange' ? 'EntryPatch' : body, channel) } };
  return { required: !bodyIsOptional, content: method === 'PATCH' ? { ...content, ...patch } : content };
}

/** The answers to requests that succeed. */
function describeAnswer({ method, description }: Route, channel: PathChannel): Record<string, object> {
  const { answer, headers = [] } = description;
  const { status, schema, isList = false, streams = false, headers: own = [] } = answer;
  const names: readonly AnswerHeaderName[] = method === 'GET' ? own : [...own, 'Idempotent-Replayed'];
  const item = schema && namedRef(schema, channel);
  const content = item && {
    'application/json': { schema: isList ? { type: 'array', items: item } : item },
    ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
  };
  const success = { description: 'Done', headers: headerRefs(names), ...(content && { content }) };
  if (!headers.includes('If-None-Match')) return { [status]: success };
  return { [status]: success, 304: { description: 'The caller has it', headers: headerRefs(['ETag']) } };
}

/** The statuses of refusals that a route can answer with. */
function refusals({ method, path, description }: Route): number[] {
  const { refusals: others = [] } = description;
  const writes = method !== 'GET';
  const takesBody = writes && method !== 'DELETE';
  return [
    400,
    401,
    403,
    ...(path.includes(':') ? [404] : []),
    ...(writes ? [409] : []),
    ...(changesWhatIsThere(method) ? [412] : []),
    ...(takesBody ? [413] : []),
    414,
    ...(takesBody ? [415] : []),
    ...(writes ? [422] : []),
    ...others,
    429,
    500,
    503,
  ];
}
