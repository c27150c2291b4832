// A customer as a form has it, and what a save sends of that. Pure.
import type { Customer, JsonObject } from '../api/types.ts';
import { formatRoles, parseRoles } from './roles.ts';

export interface CustomerForm {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly roles: string;
}

/** @param customer null: a new one */
export function toForm(customer: Customer | null): CustomerForm {
  return {
    id: '',
    name: customer?.name ?? '',
    email: customer?.email ?? '',
    roles: formatRoles(customer?.roles ?? []),
  };
}

/**
 * The members that differ from what the form began with: the others stay as they are stored, whoever changed them meanwhile.
 * An empty name or address is none.
 * @returns null if the roles cannot be read
 */
export function changedCustomer(first: CustomerForm, { id, name, email, roles }: CustomerForm): JsonObject | null {
  const listed = parseRoles(roles);
  if (listed === null) return null;
  return {
    ...(id !== first.id && { id }),
    ...(name !== first.name && { name: name === '' ? null : name }),
    ...(email !== first.email && { email: email === '' ? null : email }),
    ...(roles !== first.roles && { roles: listed }),
  };
}
