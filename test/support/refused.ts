// What every refusal has in common, whichever door gives it, whatever was sent: a status of the client's making, the form
// of its door, the request's id, and nothing of the inside.
import { expect } from '@jest/globals';
import type { ErrorCode } from '../../src/base/errors.ts';
import { tokenPattern } from '../../src/base/redaction.ts';
import type { GraphqlError, RestAnswer } from './as.ts';

/** The codes of the GraphQL door, written out from docs/contract.md §7 rather than taken from the service's own table. */
const graphqlCodes: Partial<Record<ErrorCode, string>> = {
  bad_request: 'BAD_USER_INPUT',
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_ALLOWED',
  conflict: 'CONFLICT',
  precondition_failed: 'PRECONDITION_FAILED',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  validation_failed: 'BAD_USER_INPUT',
};

/** Statements, stacks, paths, and what the service is made of. The header that a GET needs is no library. */
const inside =
  /\bselect\b.*\bfrom\b|insert into|prisma|postgres|pglite|\bpg_|sqlstate|express|node_modules|node:internal|body-parser|llhttp|HPE_|graphql-js|apollo(?!-require-preflight|-operation-name)|\bstack\b|\bat \S+ \(|\/src\/|\/dist\/|\.[jt]s:\d|\[object Object\]/i;

/** Expects that a refusal tells nothing of the inside, nor any token, and says which request it is about. */
export function expectDiscreet({ status, headers, text }: RestAnswer<unknown>): void {
  const told = JSON.stringify([...headers]) + text;
  expect([status >= 400 || status === 200, status < 500]).toEqual([true, true]);
  expect(headers.get('x-request-id')).toMatch(/^[\w.:+/=@-]{1,128}$/);
  expect(inside.exec(text)?.[0]).toBeUndefined();
  expect(told.match(tokenPattern)).toBeNull();
}

/** Expects a refusal by REST: problem details with this status and code. */
export function expectRestRefused(answer: RestAnswer<unknown>, status: number, code: string): void {
  const { headers, body } = answer;
  expect([answer.status, body]).toEqual([status, expect.objectContaining({ status, code })]);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(body).toMatchObject({ request_id: headers.get('x-request-id'), title: expect.stringMatching(/\S/) });
  expectDiscreet(answer);
}

/** Expects a refusal by GraphQL: no data, and errors of its form with this code; the code may be REST's or GraphQL's. */
export function expectGraphqlRefused(answer: RestAnswer<unknown>, status: number, code: string): void {
  const { data, errors } = answer.body as { data?: Record<string, unknown> | null; errors?: GraphqlError[] };
  const id = answer.headers.get('x-request-id');
  const expected = { code: graphqlCodes[code as ErrorCode] ?? code, requestId: id };
  expect([answer.status, errors?.[0]?.extensions]).toEqual([status, expect.objectContaining(expected)]);
  for (const { message, extensions } of errors ?? []) {
    expect([message, extensions.requestId]).toEqual([expect.stringMatching(/\S/), id]);
  }
  expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json\b/);
  expectDiscreet(answer);
}
