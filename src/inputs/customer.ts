// A customer's data, checked: every error of an input in one refusal (docs/contract.md §1, §7).
import { z } from 'zod';
import type { CustomerInput, CustomerPatch } from '../generated/graphql/types.ts';
import type { Customer } from '../generated/prisma/client.ts';
import { parseInput } from './check.ts';

/** What a caller sets of a customer. */
export type CustomerData = Pick<Customer, 'email' | 'name' | 'roles'>;

const longest = 255;

const id = z
  .string()
  .min(1, 'must not be empty')
  .max(longest, `has at most ${longest} characters`)
  .refine(isNoOtherActor, 'must not be "users" or "*", or begin with "id:" or "role:"');

const role = z.string().min(1, 'a role must not be empty').max(longest, `a role has at most ${longest} characters`);

const data = {
  // Plausible is enough: only a message that arrives tells whether an address is one.
  email: z
    .string()
    .max(320, 'has at most 320 characters')
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
    .nullish(),
  name: z.string().max(longest, `has at most ${longest} characters`).nullish(),
  roles: z
    .array(role)
    .max(500, 'holds at most 500 roles')
    .transform((roles) => [...new Set(roles)])
    .nullish(),
};

const newCustomer = z.object({ id: id.nullish(), ...data });
const customerPatch = z.object(data);

/**
 * A new customer's data. The id is null where the caller leaves it to the service.
 * @throws validation_failed with every error of the input
 */
export function checkNewCustomer(input: CustomerInput): CustomerData & { id: string | null } {
  const checked = parseInput(newCustomer, input);
  return {
    id: checked.id ?? null,
    email: checked.email ?? null,
    name: checked.name ?? null,
    roles: checked.roles ?? [],
  };
}

/**
 * The data that a patch sets; null clears.
 * @throws validation_failed with every error of the input
 */
export function checkCustomerPatch(input: CustomerPatch): Partial<CustomerData> {
  const { email, name, roles } = parseInput(customerPatch, input);
  return {
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(roles !== undefined && { roles: roles ?? [] }),
  };
}

/** Whether an id can't pass for another actor of an access list (docs/contract.md §1). */
function isNoOtherActor(text: string): boolean {
  return text !== 'users' && text !== '*' && !text.startsWith('id:') && !text.startsWith('role:');
}
