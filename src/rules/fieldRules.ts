// The rules of fields (docs/contract.md §14.6): who reads and who writes the values of a declared field. They only narrow what
// the rules of entries give. Pure and synchronous. A key that matches nobody gives nothing.
import { makeViewer, type Caller, type Viewer } from './callers.ts';

/** The rules of a field: the actor keys that may read, and write, its values. An absent list narrows nothing. */
export interface FieldRules {
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
}

/** Where a reader of the channel may write a field: in every entry, in its own entries, or nowhere. */
export type Writability = 'all' | 'own' | 'none';

/** The access of a caller to the values of a field, in the entries that it may read or write. */
export interface FieldAccess {
  readonly isReadable: boolean;
  readonly writable: Writability;
}

/** A caller as the rules of fields see it; null for one that they do not ask. */
export type RuleSubject = {
  /** The keys that match it. */
  readonly keys: ReadonlySet<string>;
  /** Whether it can be the owner of an entry. */
  readonly mayOwn: boolean;
} | null;

/** In `write`: the customer or the member who is the entry's owner. */
export const ownerKey = 'owner';
/** The beginning of the key of a role of members. */
export const memberRolePrefix = 'members:';
const customerRolePrefix = 'role:';

/** The greatest number of keys of a rule. */
export const maxRuleKeys = 50;

/** The access to a field without rules. */
const unruled: FieldAccess = { isReadable: true, writable: 'all' };

/** Whether a field has a rule. */
export function hasRule({ read, write }: FieldRules): boolean {
  return read !== undefined || write !== undefined;
}

/** The subject that the rules of fields ask for a viewer; in a preview, for its actor. */
export function ruleSubject({ subject, isUser }: Pick<Viewer, 'subject' | 'isUser'>): RuleSubject {
  switch (subject.is) {
    case 'unchecked':
      return null;
    case 'customer': {
      const roles = subject.roles.map((role) => customerRolePrefix + role);
      return { keys: new Set(['*', 'users', ...roles]), mayOwn: subject.id !== null };
    }
    case 'member': {
      const roles = subject.roles.map(({ id }) => memberRolePrefix + id);
      return { keys: new Set(['*', 'members', ...roles]), mayOwn: true };
    }
    case 'anonymous':
      return { keys: new Set(isUser ? ['*', 'members'] : ['*']), mayOwn: isUser };
  }
}

/** The subject of descriptions of channels: for a master token they have every field, also where its reads ask for access control. */
export function descriptionSubject(caller: Caller): RuleSubject {
  if (caller.kind === 'operator') return null;
  // The time decides on no field.
  return ruleSubject(makeViewer(caller, false, new Date(0)));
}

/** Decides what a subject may do with a field. */
export function decideField(rules: FieldRules, subject: RuleSubject): FieldAccess {
  if (subject === null || !hasRule(rules)) return unruled;
  const isReadable = rules.read === undefined || findKey(rules.read, subject) !== null;
  return { isReadable, writable: decideWrite(rules, subject, isReadable) };
}

function decideWrite({ write }: FieldRules, subject: NonNullable<RuleSubject>, isReadable: boolean): Writability {
  if (write === undefined) return isReadable ? 'all' : 'none';
  if (findKey(write, subject) !== null) return 'all';
  return subject.mayOwn && write.includes(ownerKey) ? 'own' : 'none';
}

/** The decision of a rule for one subject. */
export interface RuleDecision {
  readonly allowed: boolean;
  /** The key that matches it; null if none does, or if there is no rule. */
  readonly key: string | null;
}

/**
 * Explains what `decideField` decides for a subject and an entry.
 * @param isOwn whether the subject owns the entry
 */
export function explainField(
  rules: FieldRules,
  subject: RuleSubject,
  isOwn: boolean,
): { readonly read: RuleDecision; readonly write: RuleDecision } {
  const { isReadable, writable } = decideField(rules, subject);
  const keyOf = (keys: readonly string[] | undefined): string | null =>
    subject === null || keys === undefined ? null : findKey(keys, subject);
  const mayWrite = writable === 'all' || (writable === 'own' && isOwn);
  const own = mayWrite && writable === 'own' ? ownerKey : null;
  return {
    read: { allowed: isReadable, key: keyOf(rules.read) },
    write: { allowed: mayWrite, key: keyOf(rules.write) ?? own },
  };
}

/** The access that two of them give together. */
export function narrower(one: FieldAccess, other: FieldAccess): FieldAccess {
  const isNone = one.writable === 'none' || other.writable === 'none';
  const writable = isNone ? 'none' : one.writable === 'own' ? 'own' : other.writable;
  return { isReadable: one.isReadable && other.isReadable, writable };
}

/** Finds the first key of a rule that matches a subject; null if none does. */
export function findKey(keys: readonly string[], subject: NonNullable<RuleSubject>): string | null {
  return keys.find((key) => key !== ownerKey && subject.keys.has(key)) ?? null;
}

/** Whether everybody whom a key stands for is among those whom some keys stand for. */
export function coversKey(keys: readonly string[], key: string): boolean {
  if (keys.includes('*') || keys.includes(key)) return true;
  if (key.startsWith(customerRolePrefix)) return keys.includes('users');
  return key.startsWith(memberRolePrefix) && keys.includes('members');
}

/** The roles of members that some keys name. */
export function namedMemberRoles(keys: readonly string[]): string[] {
  return keys.filter((key) => key.startsWith(memberRolePrefix)).map((key) => key.slice(memberRolePrefix.length));
}
