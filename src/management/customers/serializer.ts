// Presents a customer's row: the members that a master token may know.
import type { CursorPage } from '../../serializers/connection.ts';
import type { Customer } from '../../generated/prisma/client.ts';

export interface PublicCustomer {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly roles: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Writes a customer in REST's JSON (docs/contract.md §12.3). */
export function restCustomer({ id, email, name, roles, createdAt, updatedAt }: PublicCustomer): string {
  return JSON.stringify({ id, email, name, roles, created_at: createdAt, updated_at: updatedAt });
}

/** A page of customers. */
export type CustomerPage = CursorPage<PublicCustomer>;

export function presentCustomer(row: Customer): PublicCustomer {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    roles: row.roles,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
