// The components of the OpenAPI document that are equal for every channel: schemas, headers, and the answers to refused
// requests.
import { ServiceError, errorTable, type ErrorCode } from '../../../base/errors.ts';
import { olderNameSchema, textSchema, type JsonSchema } from '../../../fields/jsonSchema.ts';
import { buildProblemDetails } from '../../../http/problem.ts';
import { accessListSchema, accessPatchSchema, managementBodies } from './bodySchemas.ts';
import { answerSchemas } from './schemas.ts';
import type { EntrySchemaName, ResponseHeaderName, SchemaName } from '../../../rest/description.ts';

/** Headers that every answer can have. */
type CommonHeaderName =
  | ('X-Request-Id' | 'RateLimit' | 'RateLimit-Policy')
  | ('Idempotent-Replayed' | 'WWW-Authenticate' | 'Retry-After' | 'Accept-Patch');
export type AnswerHeaderName = ResponseHeaderName | CommonHeaderName;

const countSchema = { type: 'integer', minimum: 0 };

const headerSchemas: Readonly<Record<AnswerHeaderName, readonly [description: string, schema: JsonSchema]>> = {
  'X-Request-Id': ['The name of the request in logs and problems: the one that was sent, or a new one.', textSchema],
  RateLimit: ['How many operations are left, and for how long.', textSchema],
  'RateLimit-Policy': ['The limit of operations, and its window in seconds.', textSchema],
  'Idempotent-Replayed': ['The first answer to the same request with this Idempotency-Key.', { const: 'true' }],
  'WWW-Authenticate': ['Why the credentials are refused, or the scope that is missing.', textSchema],
  'Retry-After': ['In how many seconds to try again.', countSchema],
  'Accept-Patch': ['The media types that PATCH takes.', textSchema],
  ETag: ['A strong entity tag.', { type: 'string', pattern: '^"[^"]+"$' }],
  Location: ['The address of what was created.', { type: 'string', format: 'uri' }],
  Link: ['Other pages of the list: first, prev, next, last (RFC 8288).', textSchema],
  'Preference-Applied': ['The preference that was applied (RFC 7240).', textSchema],
  'X-Next-Cursor': ['The cursor of the next page, where there is one.', textSchema],
  'X-Page': ['The number of the page.', { type: 'integer', minimum: 1 }],
  'X-Per-Page': ['The size of a page.', { type: 'integer', minimum: 1 }],
  'X-Total-Count': ['How many entries the whole list has.', countSchema],
  'X-Total-Count-At-Least': ['Counting stopped here.', countSchema],
  'X-Total-Pages': ['How many pages the whole list has.', countSchema],
};

/** The headers of answers. */
export const headerComponents = Object.fromEntries(
  Object.entries(headerSchemas).map(([name, [description, schema]]) => [name, { description, schema }]),
);

/** The headers that every answer can have, whatever its status. */
const everywhere: readonly AnswerHeaderName[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];

/** The references to the headers of an answer. @param names those that not every answer has */
export function headerRefs(names: readonly AnswerHeaderName[]): Record<string, object> {
  return Object.fromEntries([...everywhere, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The codes of each status that a refusal can have. */
const codesByStatus = groupCodes();

function groupCodes(): ReadonlyMap<number, readonly ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const [code, { status }] of Object.entries(errorTable)) {
    groups.set(status, [...(groups.get(status) ?? []), code as ErrorCode]);
  }
  return groups;
}

const fieldError = {
  type: 'object',
  properties: { field: textSchema, code: textSchema, message: textSchema },
  required: ['field', 'code', 'message'],
};

/** Problem details (RFC 9457). */
function problemSchema(status: JsonSchema, codes: readonly ErrorCode[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      type: { type: 'string', format: 'uri' },
      title: textSchema,
      status,
      detail: textSchema,
      code: { enum: codes },
      request_id: textSchema,
      errors: { type: 'array', items: fieldError },
      missing: { ...textSchema, description: 'The right that the caller lacks.' },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  };
}

/** Additional headers of refusals, by status. */
const refusalHeaders: Readonly<Record<number, readonly AnswerHeaderName[]>> = {
  401: ['WWW-Authenticate'],
  // Of a token whose scopes lack a right (RFC 6750 §3.1).
  403: ['WWW-Authenticate'],
  // Another request with the same Idempotency-Key is under way.
  409: ['Retry-After'],
  415: ['Accept-Patch'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Whether an operation can be refused with a status: 405 belongs to no operation. */
function isDescribed([status]: readonly [status: number, ...rest: unknown[]]): boolean {
  return status !== errorTable.method_not_allowed.status;
}

/** The answers to refused requests, by the names that `refusalRef` gives them. */
export const refusalComponents = Object.fromEntries(
  [...codesByStatus].filter(isDescribed).map(([status, codes]) => {
    const [code] = codes;
    const schema = problemSchema({ const: status }, codes);
    const example = code && buildProblemDetails(new ServiceError(code), '0f9c7f0e-5d43-4a35-9c79-2f4d0a5d7c11');
    return [
      `Problem${status}`,
      {
        description: codes.map((each) => `${errorTable[each].title} (\`${each}\`)`).join(', '),
        headers: headerRefs(refusalHeaders[status] ?? []),
        content: { 'application/problem+json': { schema, ...(example && { example }) } },
      },
    ];
  }),
);

/** The reference to the answer of refusals of a status. */
export function refusalRef(status: number): object {
  return { $ref: `#/components/responses/Problem${status}` };
}

/** The schemas that belong to no channel, besides those of entries. */
export const commonSchemas: Readonly<
  Record<Exclude<SchemaName, EntrySchemaName> | 'AccessList' | 'AccessListPatch', JsonSchema>
> = {
  ...answerSchemas,
  ...managementBodies,
  AccessList: accessListSchema,
  AccessListPatch: accessPatchSchema,
  Problem: problemSchema({ type: 'integer' }, Object.keys(errorTable) as ErrorCode[]),
  Count: {
    type: 'object',
    properties: { count: { type: ['integer', 'null'], description: 'Null where counting stopped at a limit.' } },
    required: ['count'],
  },
  OlderName: olderNameSchema,
  CommaList: {
    type: 'string',
    description:
      'Values with commas between them. One that has a comma stands in double quotes, a quote in it doubled.',
  },
  Document: {
    type: 'object',
    description: 'An OpenAPI document.',
    properties: { openapi: textSchema },
    required: ['openapi'],
    additionalProperties: true,
  },
};
