// Presents a customer's row: what a master token may know of it.
import type { Customer } from '../generated/prisma/client.ts';

export interface PublicCustomer {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly roles: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A customer as REST writes it (docs/contract.md §12.3). */
export function restCustomer({ id, email, name, roles, createdAt, updatedAt }: PublicCustomer): string {
  return JSON.stringify({ id, email, name, roles, created_at: createdAt, updated_at: updatedAt });
}

/** A page of customers. */
export interface CustomerPage {
  readonly nodes: PublicCustomer[];
  readonly edges: { readonly cursor: string; readonly node: PublicCustomer }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  /** A function, because GraphQL calls it only if the field is selected. */
  readonly totalCount: () => Promise<number>;
}

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
