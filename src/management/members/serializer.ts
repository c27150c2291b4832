// Presents members: their addresses and roles only to callers who may read them (docs/contract.md §14.2).
import type { CursorPage } from '../../serializers/connection.ts';
import type { Membership, User } from '../../generated/prisma/client.ts';
import { mayReadMembers, type Caller } from '../../rules/callers.ts';

/** A membership, and its user. */
export type MemberRow = Pick<Membership, 'userId' | 'roles' | 'createdAt'> & {
  readonly user: Pick<User, 'email' | 'name'>;
};

/** The relation that a `MemberRow` has. */
export const withUser = { user: { select: { email: true, name: true } } } as const;

export interface PublicMember {
  /** The user's id. */
  readonly user: string;
  readonly name: string | null;
  /** Null for callers who may not read it, as the roles. */
  readonly email: string | null;
  readonly roles: string[] | null;
  readonly createdAt: Date;
}

export type MemberPage = CursorPage<PublicMember>;

/** Writes a member in REST's JSON. Members that the caller may not read are left out. */
export function restMember({ user, name, email, roles, createdAt }: PublicMember): string {
  const known = email === null || roles === null ? {} : { email, roles };
  return JSON.stringify({ user, name, ...known, created_at: createdAt });
}

export function presentMember({ userId, user, roles, createdAt }: MemberRow, caller: Caller): PublicMember {
  const isTold = mayReadMembers(caller);
  const told = { email: isTold ? user.email : null, roles: isTold ? roles : null };
  return { user: userId, name: user.name, ...told, createdAt };
}
