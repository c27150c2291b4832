// Says in sentences what an explanation of access holds (docs/contract.md §10.1). Pure: it decides nothing.
import type { Decision, Explained, Explanation, PublicSight, Scope } from '../api/types.ts';

const verbs: Readonly<Record<Explained, string>> = {
  read: 'read it',
  update: 'change it',
  delete: 'delete it',
  create: 'create entries in the channel',
  publish: 'publish it and take it back',
};

const scopes: Readonly<Record<Scope, string>> = {
  public: 'anyone',
  shared: 'any signed-in customer',
  private: 'the owner of the entry',
  none: 'nobody',
};

/** Whom a scope admits to an action. */
export function nameScope(scope: Scope, action: Explained): string {
  return scope === 'private' && action === 'create' ? 'any signed-in customer' : scopes[scope];
}

/** Whom a key of an access list stands for. */
export function nameKey(key: string): string {
  if (key === '*') return 'everyone';
  if (key === 'users') return 'signed-in customers';
  if (key.startsWith('role:')) return `the role ${key.slice(5)}`;
  return `the customer ${key.replace(/^id:/, '')}`;
}

/** Why an action is allowed or refused, without the one who asks: of a member who is refused, the right that would allow it, too. */
export function explainDecision(action: Explained, decision: Decision): string {
  const { allowed, right = null } = decision;
  if (allowed || right === null) return explainRule(action, decision);
  const missing = `no role gives the right ${right}`;
  return action === 'publish' ? missing : `${missing}; and ${explainRule(action, decision)}`;
}

function explainRule(action: Explained, { decided_by, allowed, key, scope, right }: Decision): string {
  const admitted = scope === null ? '' : nameScope(scope, action);
  switch (decided_by) {
    case 'bypass':
      return 'a master token passes every check of access';
    case 'right':
      if (right === null || right === undefined) return 'a role has the right';
      return `${key === null ? 'a role' : `the role ${key.replace(/^members:/, '')}`} has the right ${right}`;
    case 'grant':
      return `the entry’s access list allows it to ${nameKey(key ?? '')}`;
    case 'deny':
      return `the entry’s access list denies it to ${nameKey(key ?? '')}, and no key that matches allows it`;
    case 'channel':
      return allowed
        ? `the channel admits ${admitted} to this (scope ${scope ?? ''})`
        : `the channel admits ${admitted} to this (scope ${scope ?? ''})${action === 'create' ? '' : ', whatever the entry allows'}`;
    case 'default':
      return `nothing that binds in the entry’s access list matches, so the channel’s scope decides: ${scope ?? ''}, which is ${admitted}`;
  }
}

/** What publication does to the sight of the entry. */
export function explainSight({ visible, since, until }: PublicSight, showTime: (iso: string) => string): string {
  if (visible) {
    return since === null ? 'publication does not hide it' : `publication has shown it since ${showTime(since)}`;
  }
  return until === null
    ? 'publication hides it, because it is a draft'
    : `publication hides it until ${showTime(until)}`;
}

/** A sentence on one action, which begins with the one who asks. */
export function sayDecision(actor: string, action: Explained, decision: Decision): string {
  const may = decision.allowed ? 'may' : 'may not';
  return `${capitalize(actor)} ${may} ${verbs[action]}: ${explainDecision(action, decision)}.`;
}

/** The sentence that answers whether somebody sees the entry, and why. */
export function sayVerdict(
  actor: string,
  { read, publication }: Explanation,
  showTime: (iso: string) => string,
): string {
  const sees = read.allowed && publication.visible;
  const reasons = [explainDecision('read', read), explainSight(publication, showTime)];
  // What hides the entry is said alone, unless both do.
  const said =
    sees || (!read.allowed && !publication.visible) ? reasons : read.allowed ? reasons.slice(1) : reasons.slice(0, 1);
  return `${capitalize(actor)} ${sees ? 'sees' : 'does not see'} this entry: ${said.join('; and ')}.`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
