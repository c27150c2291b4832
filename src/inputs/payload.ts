// Brings the two spellings of an entry's payload, REST's flat body and GraphQL's EntryInput, into one. Nothing is checked here:
// members stay unknown until entry.ts checks them, after access was decided.
import { isFixedField, members, settableMembers, type RestName, type SettableMember } from '../entries/members.ts';
import type { EntryInput } from '../generated/graphql/types.ts';
import { isObject } from './json.ts';

/**
 * A REST body, so that a resolver can tell it from an EntryInput. The members are private because the door has looked through
 * them already: the walk over an operation's arguments does not look again.
 */
export class RestPayload {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(body: Record<string, unknown>) {
    this.#members = body;
  }

  get members(): Readonly<Record<string, unknown>> {
    return this.#members;
  }
}

/** A payload by REST's names: only the members that were sent, still unchecked. */
export interface Payload {
  readonly fixed: Readonly<Partial<Record<RestName<SettableMember>, unknown>>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads the payload of either door. */
export function readPayload(input: EntryInput | RestPayload): Payload {
  return input instanceof RestPayload ? readRestBody(input.members) : readEntryInput(input);
}

/** A body may send back every member of an answer: those that callers cannot set mean nothing there. */
function readRestBody(body: Readonly<Record<string, unknown>>): Payload {
  return {
    fixed: pickSettable((name) => (name === 'acl' ? aclEntries(body[members.acl.rest]) : body[members[name].rest])),
    fields: Object.fromEntries(Object.entries(body).filter(([name]) => !isFixedField(name))),
  };
}

function readEntryInput(input: EntryInput): Payload {
  return {
    fixed: pickSettable((name) => (name === 'acl' ? ruleEntries(input.acl) : input[name])),
    fields: input.fields ?? {},
  };
}

/** The settable members that a payload sends. @param read gives what is sent of a member; undefined where it is absent */
function pickSettable(read: (name: SettableMember) => unknown): Payload['fixed'] {
  const sent = settableMembers.map((name) => [members[name].rest, read(name)] as const);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

/** An access list as pairs of actor key and rule, in their order. A value that is not an object is refused later. */
function aclEntries(acl: unknown): unknown {
  if (isObject(acl)) return Object.entries(acl);
  return Array.isArray(acl) ? 'an array' : acl;
}

/** The same of GraphQL's rules. */
function ruleEntries(acl: EntryInput['acl']): unknown {
  return (
    acl?.map(({ actor, ...rule }) => [
      actor,
      Object.fromEntries(Object.entries(rule).filter(([, allowed]) => typeof allowed === 'boolean')),
    ]) ?? acl
  );
}
