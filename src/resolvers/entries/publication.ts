// The arguments of publishing an entry: REST's body, GraphQL's PublicationInput (docs/contract.md §4.5).
import { fail, type FieldError } from '../../base/errors.ts';
import { members } from '../../entries/members.ts';
import { listErrors, unknownField } from '../../inputs/check.ts';
import { isObject } from '../../inputs/json.ts';
import {
  emptyPayload,
  memberSchemas,
  parsePayload,
  type Payload,
  type PublicationArguments,
} from '../../inputs/payload.ts';

/** A publication as it was sent. */
export interface SentPublication {
  /** The time to publish at: null for none, undefined for the one that the entry has. */
  readonly publishAt: Date | null | undefined;
  /** The update in the same write; an empty one if none was sent. */
  readonly payload: Payload;
  /** The errors of the body, apart from those of the update's values. */
  readonly errors: readonly FieldError[];
}

const bodyMembers = ['publish_at', 'entry'];
/** The members of an update that publishing itself sets. */
const publishing = [members.status.rest, members.publishAt.rest];

/** Parses the arguments of publishing. @throws bad_request if a body is not a JSON object */
export function parsePublication(args: PublicationArguments): SentPublication {
  if (!('body' in args)) {
    const { publishAt, entry } = args.publication ?? {};
    const { fixed, ...payload } = parsePayload({ input: entry ?? {} });
    return assemble(publishAt, { fixed, ...payload }, setsPublication(Object.keys(fixed)));
  }
  const body = readBody(args.body);
  const { publish_at: publishAt, entry = null } = body;
  const isFit = entry === null || isObject(entry);
  const misfit = { field: 'entry', code: 'invalid', message: 'must be an object' };
  const sent = isObject(entry) ? entry : {};
  const errors = [
    ...unknownMembers(body, bodyMembers),
    ...(isFit ? [] : [misfit]),
    ...setsPublication(Object.keys(sent)),
  ];
  return assemble(publishAt, parsePayload({ body: sent }), errors);
}

/** Parses the arguments of unpublishing: a body has no members. @throws bad_request if it is not a JSON object */
export function parseUnpublication(args: PublicationArguments): SentPublication {
  const errors = 'body' in args ? unknownMembers(readBody(args.body), []) : [];
  return { publishAt: null, payload: emptyPayload, errors };
}

/** @throws bad_request for a body that is not an object; one that was left out is empty */
function readBody(body: unknown): Record<string, unknown> {
  if (body === undefined) return {};
  return isObject(body) ? body : fail('bad_request', 'The body must be a JSON object.');
}

function unknownMembers(body: Record<string, unknown>, known: readonly string[]): FieldError[] {
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  return unknown.map((field, index) => unknownField(field, 'is not a member of this request', known, index));
}

/** The errors of an update's members that publishing itself sets. */
function setsPublication(names: readonly string[]): FieldError[] {
  return publishing
    .filter((name) => names.includes(name))
    .map((field) => ({ field, code: 'unknown_field', message: 'is set by publishing: send publish_at beside entry' }));
}

function assemble(publishAt: unknown, { fixed, ...payload }: Payload, errors: readonly FieldError[]): SentPublication {
  const { [members.status.rest]: _status, [members.publishAt.rest]: _publishAt, ...others } = fixed;
  const sent = { ...payload, fixed: others };
  if (publishAt === undefined) return { publishAt, payload: sent, errors };
  const result = memberSchemas[members.publishAt.rest].safeParse(publishAt);
  const misfits = listErrors(result, 'publish_at');
  return { publishAt: result.data, payload: sent, errors: [...errors, ...misfits] };
}
