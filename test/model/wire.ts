// A change in the words of either door, and what either door answers, made one.
import { expect } from '@jest/globals';
import type { Answer } from './client.ts';
import type { Acl, Change } from './model.ts';
import type { WorldEntry } from './world.ts';

const timeOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** Leaves out what is undefined. */
function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export function restBody({ title, acl, owner, status, publishAt }: Change, slug?: string): Record<string, unknown> {
  const time = publishAt === undefined ? undefined : timeOf(publishAt);
  return present({ title, slug, _acl: acl, _owner: owner, _status: status, _publish_at: time });
}

export function graphqlInput({ title, acl, owner, status, publishAt }: Change, slug?: string): Record<string, unknown> {
  return present({
    slug,
    owner,
    fields: title === undefined ? undefined : { title },
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
  if (!('fields' in result)) return { outcome: 'done', entry: result };
  const { fields, acl, owner, status, publishAt, titleFieldValue, ...rest } = result;
  return {
    outcome: 'done',
    entry: {
      ...rest,
      ...(fields as object),
      _status: String(status).toLowerCase(),
      _publish_at: publishAt,
      ...(titleFieldValue !== null && { title_field_value: titleFieldValue }),
      ...(acl !== null && { _acl: aclOf(acl as AclRow[]) }),
      ...(owner !== null && { _owner: owner }),
    },
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

/** What an answer to a write shows besides names, times and state. */
export interface Shown {
  /** Whether the entry is shown whole. */
  readonly all: boolean;
  readonly acl: boolean;
  readonly owner: boolean;
  /** Whether the title was sent along. */
  readonly title: boolean;
}

/** Expects an answer to be just what its caller may see of an entry. */
export function expectShown(
  answer: Record<string, unknown>,
  { id, state, title, version }: WorldEntry,
  shown: Shown,
): void {
  const titleShown = title !== undefined && (shown.all || shown.title) ? title : undefined;
  expect({
    id: answer['id'],
    version: answer['version'] ?? version,
    _status: answer['_status'],
    _publish_at: answer['_publish_at'],
    title: answer['title'],
    title_field_value: answer['title_field_value'] ?? undefined,
    _acl: answer['_acl'],
    _owner: answer['_owner'] ?? null,
  }).toEqual({
    id,
    version,
    _status: state.status,
    _publish_at: timeOf(state.publishAt),
    title: titleShown,
    title_field_value: shown.all ? title : undefined,
    _acl: shown.acl ? state.acl : undefined,
    _owner: shown.owner ? state.owner : null,
  });
}
