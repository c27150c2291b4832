// The parameters of requests in the OpenAPI document: of paths, of queries, and headers. A parameter that a row of the REST table
// may name and that is not described here does not compile.
import { textSchema, type JsonSchema } from '../../../fields/jsonSchema.ts';
import { enums } from '../../../base/enums.ts';
import { scopeParameters } from '../../explain/aclPreview.ts';
import { auditTypes } from '../../audit/input.ts';
import { changeTypes } from '../../changes/input.ts';
import { maxChanges, maxPageSize, maxSearchLength } from '../../../inputs/lists/list.ts';
import { maxPaths } from '../../../inputs/selection.ts';
import { maxSortKeys } from '../../../inputs/lists/sort.ts';
import type { CallerKind } from '../../../rules/callers.ts';
import type { PathParameter, QueryParameter } from '../../../rest/route.ts';
import { schemaRef } from './channel.ts';
import type { EntrySchemaName, RequestHeaderName } from '../../../rest/description.ts';

const pathParameters: Readonly<Record<PathParameter, string>> = {
  channel: 'The id of a channel.',
  entry: 'The id, the short id or the slug of an entry.',
  customer: 'The id of a customer.',
  session: 'The id of a session.',
  token: 'The id of a token.',
  webhook: 'The id of a webhook.',
  delivery: 'The id of an attempt.',
  user: 'The id of a user.',
  role: 'The id of a role.',
  invitation: 'The id of an invitation.',
};

/** The parameters of a path, each as `{channel_id}`. */
export function pathParameterList(names: readonly PathParameter[]): object[] {
  return names.map((name) => ({
    name: `${name}_id`,
    in: 'path',
    required: true,
    description: pathParameters[name],
    schema: textSchema,
  }));
}

/** A list that is sent as one value with commas. */
function commaListSchema(item: JsonSchema, maxItems?: number): object {
  const schema = { type: 'array', items: item, ...(maxItems !== undefined && { maxItems }) };
  return { style: 'form', explode: false, schema };
}

const flagSchema = {
  anyOf: [{ type: 'boolean' }, { type: 'string', pattern: '^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[01])$' }],
};

const scopes = Object.values(enums.ChannelScope);
/** Letter case does not matter. */
const eitherCaseScope = { enum: [...scopes, ...scopes.map((each) => each.toUpperCase())] };

/** The parameters that are the same in every channel. */
const commonParameters = {
  page: { description: 'The number of the page, from 1.', schema: { type: 'integer', minimum: 1, default: 1 } },
  per_page: {
    description: 'How many items a page has.',
    schema: { type: 'integer', minimum: 1, maximum: maxPageSize, default: 30 },
  },
  cursor: { description: 'Continues behind a page: its X-Next-Cursor.', schema: textSchema },
  where: {
    description:
      'A condition as JSON: fields, and, or, not. It takes every comparison, also those that are no parameters here.',
    schema: { type: 'string', contentMediaType: 'application/json' },
    example: '{"or":[{"year":{"lt":1930}},{"title":{"contains":"sea"}}]}',
  },
  q: { description: 'Searches the text fields.', schema: { type: 'string', minLength: 1, maxLength: maxSearchLength } },
  use_acl: { description: 'Whether access control applies to a master token, too.', schema: flagSchema },
  confirm: { description: 'The id of the channel, to confirm what cannot be undone.', schema: textSchema },
  name: { description: 'The name that customers have.', schema: textSchema },
  email: { description: 'The email address that customers have.', schema: textSchema },
  after: { description: 'Continues behind a change: its cursor. `now`: only changes to come.', schema: textSchema },
  limit: {
    description: 'How many changes a page has.',
    schema: { type: 'integer', minimum: 1, maximum: maxChanges, default: 100 },
  },
  types: { description: 'The types of changes that are told.', ...commaListSchema({ enum: changeTypes }) },
  actor: {
    description: 'Only changes by a token, a user or a customer, by its id, or by who ran a command, by their name.',
    schema: textSchema,
  },
  type: {
    description: 'Only changes of this kind of thing.',
    schema: { enum: [...auditTypes, ...auditTypes.map((each) => each.toUpperCase())] },
  },
  subject: { description: 'Only changes of the thing with this id.', schema: textSchema },
  since: { description: 'Only changes at this time or later.', schema: { type: 'string', format: 'date-time' } },
  until: { description: 'Only changes before this time.', schema: { type: 'string', format: 'date-time' } },
  as: {
    description:
      'Reads as somebody else: `anonymous`, `customer:<id>` or `roles:<role>,<role>`. A user token sees only what it may read itself, too.',
    schema: { type: 'string', pattern: '^(?:anonymous|customer:.+|roles:.*|member:.+)$' },
  },
  entry: { description: 'An entry of the channel: its id, short id or slug.', schema: textSchema },
  at: { description: 'The time of the request of `as`.', schema: { type: 'string', format: 'date-time' } },
  ...(Object.fromEntries(
    scopeParameters.map((action) => [
      action,
      { description: `The scope of ${action} in place of the channel’s.`, schema: eitherCaseScope },
    ]),
  ) as Record<(typeof scopeParameters)[number], object>),
  publishable: { description: 'Whether entries are published, in place of the channel’s setting.', schema: flagSchema },
} satisfies Partial<Record<QueryParameter, object>>;

/** The parameters whose values depend on the channel. */
type ChannelParameter = Exclude<QueryParameter, keyof typeof commonParameters>;

const channelParameters: Readonly<Record<ChannelParameter, readonly [EntrySchemaName, (item: JsonSchema) => object]>> =
  {
    sort: [
      'SortKey',
      (item) => ({ description: 'The order; `-` for descending.', ...commaListSchema(item, maxSortKeys) }),
    ],
    only: [
      'Member',
      (item) => ({ description: 'The members to return; `id` is always there.', ...commaListSchema(item) }),
    ],
    include: ['Include', (item) => ({ description: 'The references to embed.', ...commaListSchema(item, maxPaths) })],
  };

/**
 * A query parameter.
 * @param channel the channel of the entries: its id, null for any, and its schemas
 * @param include the values of `include`, where it does not name references
 * @returns empty if the channel has no value for it
 */
export function queryParameter(
  name: QueryParameter,
  { id, has }: { readonly id: string | null; readonly has: ReadonlySet<EntrySchemaName> },
  include?: readonly string[],
): object[] {
  if (name === 'include' && include !== undefined) {
    return [{ name, in: 'query', description: 'What to add to each change.', schema: { enum: include } }];
  }
  if (name in commonParameters) return [{ $ref: `#/components/parameters/${name}` }];
  const [schema, describe] = channelParameters[name as ChannelParameter];
  return has.has(schema) ? [{ name, in: 'query', ...describe(schemaRef(schema, id)) }] : [];
}

/** The headers of requests: those that every request may have, those of writes, and those that rows name. */
const requestHeaders = {
  'Session-Token': 'The token of a customer’s session.',
  'X-Service-Session-Token': 'Another name of Session-Token.',
  'X-Service-Site': 'The id of the site. Requests with user tokens need it.',
  'X-Request-Id': 'A name for the request.',
  'Idempotency-Key': 'The same request with the same key is answered alike, and done once.',
  'If-Match': 'Entity tags, or *: the write is done only if what is there has the version of one of them.',
  'If-None-Match':
    'Entity tags, or *: 304 if the answer has one of them; a write is refused if what is there has the version of one.',
  Prefer: 'In lists, `count=exact` counts on and `count=none` does not count. In changes, `wait=30` waits for some.',
  'Last-Event-ID': 'The cursor behind which a stream goes on.',
} satisfies Record<RequestHeaderName, string> & Record<string, string>;

type HeaderName = keyof typeof requestHeaders;

/** The parameters that every request may have. @param siteIsOptional whether user tokens need not name a site */
export function everyRequest(siteIsOptional: boolean): object[] {
  const others = refs(['Session-Token', 'X-Service-Session-Token', 'X-Request-Id', 'use_acl']);
  const name = 'X-Service-Site';
  const optional = { name, in: 'header', description: 'The id of the site.', schema: textSchema };
  return [...others, ...(siteIsOptional ? [optional] : refs([name]))];
}

/** The references to headers of requests. */
export function refs(names: readonly (HeaderName | keyof typeof commonParameters)[]): object[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The parameters that others refer to. */
export function parameterComponents(kind: CallerKind | null): Record<string, object> {
  const headers = Object.entries(requestHeaders).map(([name, description]): [string, object] => {
    const required = name === 'X-Service-Site' && kind === 'user';
    return [name, { name, in: 'header', description, ...(required && { required }), schema: textSchema }];
  });
  const queries = Object.entries(commonParameters).map(
    ([name, each]) => [name, { name, in: 'query', ...each }] as const,
  );
  return Object.fromEntries([...headers, ...queries]);
}
