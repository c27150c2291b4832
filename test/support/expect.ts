// What answers have in common, said once: entries, refusals of both doors, and that two answers don't differ.
import { expect } from '@jest/globals';
import type { ErrorCode } from '../../src/base/errors.ts';
import type { GraphqlAnswer, GraphqlError, RestAnswer } from './as.ts';

/** The status of each code, written out from docs/contract.md §5 rather than taken from the service's own table. */
export const statusOf: Record<ErrorCode, number> = {
  bad_request: 400,
  too_complex: 400,
  answer_too_large: 400,
  query_too_complex: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  cursor_expired: 410,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** An entry as REST gives it; custom fields stand beside the fixed ones. */
export interface RestEntry {
  readonly id: string;
  readonly url: string;
  readonly short_id: string;
  readonly slug: string;
  readonly channel: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly title_field_value: string | null;
  readonly _status: string;
  readonly _publish_at: string | null;
  readonly _acl?: Record<string, Record<string, boolean>>;
  readonly _owner?: string | null;
  readonly [field: string]: unknown;
}

/** An entry as GraphQL gives it, with `entrySelection`. */
export interface GraphqlEntry {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  readonly url: string;
  readonly channel: { readonly id: string };
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly titleFieldValue: string | null;
  readonly status: string;
  readonly publishAt: string | null;
  readonly acl: { readonly actor: string; readonly [action: string]: unknown }[] | null;
  readonly owner: string | null;
  readonly fields: Record<string, unknown>;
}

/** All of an entry. */
export const entrySelection = `{ id shortId slug url channel { id } version createdAt updatedAt titleFieldValue status
  publishAt acl { actor create read update delete } owner fields }`;

/** Expects a refusal by REST: problem details (RFC 9457, docs/contract.md §5) with these members and no others. */
export function expectProblem(answer: RestAnswer<unknown>, code: ErrorCode, fields?: readonly string[]): void {
  const { status, headers, body } = answer;
  const errors = fields?.map((field) => ({ field, code: expect.any(String), message: expect.any(String) }));
  expect({ status, type: headers.get('content-type'), body }).toEqual({
    status: statusOf[code],
    type: expect.stringMatching(/^application\/problem\+json\b/),
    body: {
      type: expect.stringMatching(/^[a-z]+:\S+$/),
      title: expect.stringMatching(/\S/),
      status: statusOf[code],
      detail: expect.stringMatching(/\S/),
      code,
      request_id: headers.get('x-request-id'),
      ...(errors && { errors }),
    },
  });
}

/** Expects one refusal by GraphQL during execution: HTTP 200, the field null, an error with this code (docs/contract.md §7). */
export function expectRefusal(
  answer: GraphqlAnswer<Record<string, unknown>>,
  code: string,
  fields?: readonly string[],
): void {
  expect({ status: answer.status, codes: codesOf(answer.errors) }).toEqual({ status: 200, codes: [code] });
  expectNamedFields(answer, fields);
  for (const [field] of answer.errors?.map(({ path }) => path ?? []) ?? []) {
    expect(answer.data[String(field)]).toBeNull();
  }
}

/** Expects a GraphQL request that was refused as a whole, before anything of it was done. */
export function expectRequestRefused(answer: GraphqlAnswer<unknown>, status: number, code: string): void {
  expect({ status: answer.status, data: answer.data ?? null, codes: codesOf(answer.errors) }).toEqual({
    status,
    data: null,
    codes: [code],
  });
  expectNamedFields(answer);
}

/** Expects that nothing was refused; gives the data. */
export function expectData<Data>(answer: GraphqlAnswer<Data>): Data {
  expect({ status: answer.status, errors: answer.errors }).toEqual({ status: 200, errors: undefined });
  return answer.data;
}

/** Expects an entry with a status; gives it. */
export function expectEntry(answer: RestAnswer<unknown>, status = 200): RestEntry {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expect.any(Object) });
  return answer.body as RestEntry;
}

/**
 * All that an answer tells but the request's id, the time and how many requests are left: two answers that must not
 * differ are equal in this.
 */
export function tellingOf({ status, headers, text }: RestAnswer<unknown>): Record<string, unknown> {
  const requestId = headers.get('x-request-id') ?? '';
  const passing = /^(x-request-id|date|content-length|ratelimit)$/;
  const telling = [...headers].filter(([name]) => !passing.test(name));
  return { status, headers: telling, text: text.replaceAll(requestId, '') };
}

function expectNamedFields({ errors, headers }: GraphqlAnswer<unknown>, fields?: readonly string[]): void {
  expect(errors?.[0]?.extensions.requestId).toBe(headers.get('x-request-id'));
  expect(errors?.[0]?.extensions.errors?.map(({ field }) => field)).toEqual(fields);
}

function codesOf(errors: readonly GraphqlError[] | undefined): string[] {
  return (errors ?? []).map(({ extensions }) => extensions.code);
}
