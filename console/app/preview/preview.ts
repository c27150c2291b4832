// A preview: as whom, and at which time, lists and entries are read (docs/contract.md §10). Pure.
import { formatRoles, parseRoles } from '../people/roles.ts';

export interface Preview {
  /** As REST takes it: `anonymous`, `customer:<id>`, `roles:<role>,<role>`, `member:<user id>`. */
  readonly as: string;
  /** An ISO 8601 time; null: now. */
  readonly at: string | null;
}

export type ActorKind = 'anonymous' | 'customer' | 'roles' | 'member';

/** The parameter `as` for an actor. Roles that cannot be read are sent as they were typed: the service says what is wrong. */
export function formatActor(kind: ActorKind, name: string): string {
  if (kind === 'anonymous') return 'anonymous';
  if (kind !== 'roles') return `${kind}:${name}`;
  const roles = parseRoles(name);
  return `roles:${roles === null ? name : formatRoles(roles, ',')}`;
}

/** The kind of an actor, and the name that was given for it. */
export function parseActor(as: string): { readonly kind: ActorKind; readonly name: string } {
  const [, kind = 'anonymous', name = ''] = /^(anonymous|customer|roles|member):?(.*)$/s.exec(as) ?? [];
  return { kind: kind as ActorKind, name };
}

/** An actor in words, as the subject of a sentence. */
export function nameActor(as: string): string {
  const { kind, name } = parseActor(as);
  if (kind === 'member') return `the member ${name}`;
  if (kind === 'anonymous') return 'an anonymous visitor';
  if (kind === 'customer') return `the customer ${name}`;
  if (name === '') return 'a signed-in customer without roles';
  const roles = parseRoles(name) ?? [name];
  return `a signed-in customer with the ${roles.length === 1 ? 'role' : 'roles'} ${formatRoles(roles)}`;
}
