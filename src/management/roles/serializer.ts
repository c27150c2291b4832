// Presents roles: those that are built in, and the site's own (docs/contract.md §14.2).
import type { Role } from '../../generated/prisma/client.ts';
import { rightsByHandle, writeRight, type RoleRights } from '../../rules/rights.ts';

export interface PublicRole {
  readonly id: string;
  readonly name: string | null;
  /** The texts of its rights, which name channels by their ids. */
  readonly rights: string[];
  readonly builtIn: boolean;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

/** Writes a role in REST's JSON. */
export function restRole({ id, name, rights, builtIn, createdAt, updatedAt }: PublicRole): string {
  return JSON.stringify({ id, name, rights, built_in: builtIn, created_at: createdAt, updated_at: updatedAt });
}

export function presentBuiltIn({ id, rights }: RoleRights): PublicRole {
  return { id, name: null, rights: rights.map(writeRight), builtIn: true, createdAt: null, updatedAt: null };
}

/** @param idOf the ids of the site's channels, by their `uid`s */
export function presentRole(row: Role, idOf: ReadonlyMap<string, string>): PublicRole {
  const { id, name, createdAt, updatedAt } = row;
  const rights = rightsByHandle(row.rights, idOf).map(writeRight);
  return { id, name, rights, builtIn: false, createdAt, updatedAt };
}
