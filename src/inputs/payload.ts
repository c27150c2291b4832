// Brings the two forms of an entry's payload, REST's flat body and GraphQL's EntryInput, into one. The values of members are
// not checked here: entry.ts checks them, once access has been decided.
import { isFixedField, members, settableMembers, type RestName, type SettableMember } from '../entries/members.ts';
import { fail } from '../errors.ts';
import type { EntryInput } from '../generated/graphql/types.ts';
import { isObject } from './json.ts';

/** The payload of a write: a body in REST, an input in GraphQL. */
export type PayloadArguments = { readonly body: unknown } | { readonly input: EntryInput };

/** A payload by REST's names: the members that were sent, not checked yet. */
export interface Payload {
  readonly fixed: Readonly<Partial<Record<RestName<SettableMember>, unknown>>>;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether fixed members and custom fields stand side by side, as in a body of REST. */
  readonly isFlat: boolean;
}

/** The payload of either door. @throws bad_request where the body is not a JSON object */
export function parsePayload(args: PayloadArguments): Payload {
  if (!('body' in args)) return readEntryInput(args.input);
  if (!isObject(args.body)) fail('bad_request', 'The body must be a JSON object.');
  return readRestBody(args.body);
}

/** A client may send back every member of an answer: those that callers cannot set are ignored. */
function readRestBody(body: Readonly<Record<string, unknown>>): Payload {
  return {
    fixed: pickSettable((name) => (name === 'acl' ? aclEntries(body[members.acl.rest]) : body[members[name].rest])),
    fields: Object.fromEntries(Object.entries(body).filter(([name]) => !isFixedField(name))),
    isFlat: true,
  };
}

function readEntryInput(input: EntryInput): Payload {
  return {
    fixed: pickSettable((name) => (name === 'acl' ? ruleEntries(input.acl) : input[name])),
    fields: input.fields ?? {},
    isFlat: false,
  };
}

/** The settable members that a payload sends. @param read gives what is sent of a member; undefined where it is absent */
function pickSettable(read: (name: SettableMember) => unknown): Payload['fixed'] {
  const sent = settableMembers.map((name) => [members[name].rest, read(name)] as const);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

/** REST's access list as pairs of actor key and rule, in their order. A value that is not an object is refused later. */
function aclEntries(acl: unknown): unknown {
  if (isObject(acl)) return Object.entries(acl);
  return Array.isArray(acl) ? 'an array' : acl;
}

/** GraphQL's access list in the same form. */
function ruleEntries(acl: EntryInput['acl']): unknown {
  return (
    acl?.map(({ actor, ...rule }) => [
      actor,
      Object.fromEntries(Object.entries(rule).filter(([, allowed]) => typeof allowed === 'boolean')),
    ]) ?? acl
  );
}
