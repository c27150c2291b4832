// A change in the words of either door, and what either door answers, made one.
import type { Answer } from './client.ts';
import type { Acl } from './model.ts';
import type { Payload } from './references.ts';

export const timeOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** Leaves out what is undefined. */
function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function fieldsOf({ title, word, n, friend, friends }: Payload): Record<string, unknown> {
  return present({ title, word, n, friend: friend?.sent, friends: friends?.sent });
}

export function restBody(payload: Payload, slug?: string): Record<string, unknown> {
  const { acl, owner, status, publishAt } = payload;
  const time = publishAt === undefined ? undefined : timeOf(publishAt);
  return present({ ...fieldsOf(payload), slug, _acl: acl, _owner: owner, _status: status, _publish_at: time });
}

export function graphqlInput(payload: Payload, slug?: string): Record<string, unknown> {
  const { acl, owner, status, publishAt } = payload;
  return present({
    slug,
    owner,
    fields: fieldsOf(payload),
    acl: acl && Object.entries(acl).map(([actor, rule]) => ({ actor, ...rule })),
    status: status?.toUpperCase(),
    publishAt: publishAt === undefined ? undefined : timeOf(publishAt),
  });
}

/** What the model needs of an entry. */
export const selection =
  '{ id version status publishAt titleFieldValue acl { actor create read update delete } owner fields }';

export interface Written {
  readonly outcome: 'done' | number;
  /** By REST's names. */
  readonly entry: Record<string, unknown>;
  /** Whether fields that are not shown are null, rather than absent. */
  readonly hasAll?: boolean;
}

export function readRest({ status, body }: Answer): Written {
  const isDone = status === 200 || status === 201 || status === 204;
  return { outcome: isDone ? 'done' : status, entry: (body ?? {}) as Record<string, unknown> };
}

const statuses: Record<string, number> = {
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  BAD_USER_INPUT: 422,
};

/** The status that REST has for the code of a GraphQL error. */
export function statusOf({ extensions: { code } }: { extensions: { code: string } }): number {
  return statuses[code] ?? 500;
}

interface GraphqlBody {
  readonly data?: { readonly result: Record<string, unknown> | string | null };
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

export function readGraphql({ body }: Answer): Written {
  const { data, errors = [] } = body as GraphqlBody;
  const [error] = errors;
  if (error) return { outcome: statusOf(error), entry: {} };
  const result = data?.result;
  if (typeof result !== 'object' || result === null) return { outcome: 'done', entry: {} };
  return { outcome: 'done', entry: 'fields' in result ? graphqlEntry(result) : result };
}

/** An entry of GraphQL's, by REST's names. */
export function graphqlEntry(selected: Record<string, unknown>): Record<string, unknown> {
  const { fields, acl, owner, status, publishAt, titleFieldValue, ...rest } = selected;
  return {
    ...rest,
    ...(fields as object),
    _status: String(status).toLowerCase(),
    _publish_at: publishAt,
    ...(titleFieldValue !== null && { title_field_value: titleFieldValue }),
    ...(acl !== null && { _acl: aclOf(acl as AclRow[]) }),
    ...(owner !== null && { _owner: owner }),
  };
}

interface AclRow {
  readonly actor: string;
  readonly [action: string]: unknown;
}

function aclOf(rows: readonly AclRow[]): Acl {
  return Object.fromEntries(
    rows.map(({ actor, ...rule }) => [
      actor,
      Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== null)),
    ]),
  );
}
