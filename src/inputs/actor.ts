// Parses the actor and the time of a preview or an explanation (docs/contract.md §10): GraphQL's `as` is an object, REST's a text.
import { fail } from '../base/errors.ts';
import { timeInput } from '../fields/time.ts';
import type { ActorInput } from '../generated/graphql/types.ts';
import type { Actor, Preview } from '../rules/callers.ts';
import { rolesInput } from './customer.ts';
import { parseCommaList } from './lists/filterParameters.ts';

/** The arguments of reads that can be previewed. */
export interface PreviewArguments {
  readonly as?: ActorInput | string | null | undefined;
  readonly at?: Date | string | null | undefined;
}

/**
 * Parses the preview that a request asks for by an actor or a time.
 * @throws bad_request for a malformed actor or time, and for a time without an actor
 */
export function parsePreview({ as: actor, at = null }: PreviewArguments): Preview {
  if (actor === undefined || actor === null)
    fail('bad_request', 'The time at is that of a preview: name the actor who reads at that time with as.');
  return {
    actor: typeof actor === 'string' ? readActor(actor) : checkActor(actor),
    at: at === null ? null : readTime(at),
  };
}

/** The forms of an actor in a URL, for messages. */
export const actorForms = 'anonymous, customer:<id>, roles:<role>,<role> or member:<user id>';

/** Parses an actor in a URL, of one of the `actorForms`. */
function readActor(text: string): Actor {
  const colon = text.indexOf(':');
  const [kind, rest] = colon === -1 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)];
  if (kind === 'anonymous' && rest === null) return makeActor(null);
  if (kind === 'customer' && rest !== null) return makeActor(checkCustomer(rest, null));
  if (kind === 'roles' && rest !== null) {
    return makeActor(checkCustomer(null, rest === '' ? [] : parseCommaList('as', rest)));
  }
  if (kind === 'member' && rest !== null) return makeMemberActor(rest);
  fail('bad_request', `as must be ${actorForms}.`);
}

/** The actor that a member is: its user token, without a session. */
function makeMemberActor(user: string): Actor {
  return { kind: 'user', useAcl: false, customer: null, member: user.toLowerCase() };
}

function makeActor(customer: Actor['customer']): Actor {
  return { kind: 'public', useAcl: false, customer };
}

/**
 * Checks GraphQL's actor, whose members have the right types. Where access control is checked, it has to name a
 * customer, roles, the anonymous visitor or a member.
 */
function checkActor({ anonymous, customer, roles, member, token, useAcl }: ActorInput): Actor {
  if (typeof member === 'string') {
    // `token` has a default, so that it tells nothing of what was sent unless it is another one.
    const others = [
      anonymous === true,
      typeof customer === 'string',
      Array.isArray(roles),
      token === 'master',
      useAcl === true,
    ];
    if (others.includes(true)) fail('bad_request', 'as: a member is named alone, without anything else.');
    return makeMemberActor(member);
  }
  const kind = token ?? 'public';
  const isChecked = kind !== 'master' || useAcl === true;
  const isNamed = typeof customer === 'string' || Array.isArray(roles);
  if (anonymous === true && isNamed) {
    fail(
      'bad_request',
      'as: an anonymous visitor has neither a customer id nor roles. Send anonymous alone, or without true.',
    );
  }
  if (anonymous !== true && !isNamed && (isChecked || anonymous === false)) {
    fail('bad_request', 'as must name somebody: anonymous: true, a customer, roles, or a member.');
  }
  return { kind, useAcl: useAcl === true, customer: isNamed ? checkCustomer(customer ?? null, roles ?? null) : null };
}

function checkCustomer(id: string | null, roles: readonly string[] | null): NonNullable<Actor['customer']> {
  if (id === '') fail('bad_request', 'as: the id of the customer must not be empty.');
  if (roles === null) return { id, roles };
  const checked = rolesInput.safeParse(roles);
  if (!checked.success) {
    const { path, message } = checked.error.issues[0] ?? { path: [], message: '' };
    fail('bad_request', `as: ${path.length === 0 ? 'the roles' : `the role ${Number(path[0]) + 1}`} ${message}.`);
  }
  return { id, roles: checked.data };
}

function readTime(at: Date | string): Date {
  const checked = timeInput.safeParse(typeof at === 'string' ? at : at.toISOString());
  return checked.success ? checked.data : fail('bad_request', `The time at ${checked.error.issues[0]?.message ?? ''}.`);
}
