// Finds the customer that an argument names.
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Customer } from '../../generated/prisma/client.ts';

/**
 * Finds the customer with an id in the caller's site.
 * @throws not_found
 */
export async function findCustomer(
  { services: { db }, site: siteId }: Pick<Context, 'services' | 'site'>,
  id: string,
): Promise<Customer> {
  return (await db.customer.findUnique({ where: { siteId_id: { siteId, id } } })) ?? throwNoSuchCustomer();
}

/** @throws not_found always */
export function throwNoSuchCustomer(): never {
  fail('not_found', 'There is no such customer.');
}
