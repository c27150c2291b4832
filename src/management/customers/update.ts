// Updates a customer: sets the members that are sent, clears those sent as null, and leaves the others (docs/contract.md §7).
import { isDeepStrictEqual } from 'node:util';
import type { CustomerPatch } from '../../generated/graphql/types.ts';
import type { Customer } from '../../generated/prisma/client.ts';
import { checkCustomerPatch, type CustomerData } from '../../inputs/customer.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentCustomer, type PublicCustomer } from './serializer.ts';
import { auditCustomer } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { requireSiteRights } from '../../resolvers/missingRight.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findCustomer, throwNoSuchCustomer } from './find.ts';

type UpdateCustomerArguments = Sent<CustomerPatch> & {
  readonly id: string;
};

export const updateCustomer: ManagementOperation<{
  args: UpdateCustomerArguments;
  done: Customer;
  result: PublicCustomer;
}> = {
  name: 'updateCustomer',
  callers: managers,
  needs: ['customers'],

  find: ({ id }, context) => findCustomer(context, id),

  run: async (input, context) => {
    const {
      site: siteId,
      now,
      services: { directory },
    } = context;
    const loaded = await findCustomer(context, input.id);
    const { id } = loaded;
    const data = checkCustomerPatch(input, loaded);
    // An update that changes nothing writes nothing, so that `updatedAt` stays.
    if (!customerDiffers(loaded, data)) return loaded;
    const updated = await manage(context, async ({ db }) => {
      // Locks the row, so that the record has the changes of this update alone, whatever others set since the customer
      // was loaded.
      await db.$queryRaw`SELECT 1 AS held FROM customers c WHERE c.site_id = ${siteId} AND c.id = ${id} FOR UPDATE`;
      const before = await findCustomer({ services: { db }, site: siteId }, id);
      // A role may give its customer what the caller cannot read.
      const givesRoles = data.roles !== undefined && !isDeepStrictEqual(data.roles, before.roles);
      if (givesRoles) requireSiteRights(context.caller, ['channels']);
      const [row = throwNoSuchCustomer()] = await db.customer.updateManyAndReturn({
        where: { siteId, id },
        data: { ...data, updatedAt: now },
      });
      const change = { type: 'customer', subject: id, action: 'updated', before: auditCustomer(before) } as const;
      return { result: row, changes: [{ ...change, after: auditCustomer(row) }] };
    });
    await directory.settle();
    return updated;
  },

  present: presentCustomer,
};

/** The members of a customer that an update can set. Leaving one out is a compile error. */
const dataMembers: Readonly<Record<keyof CustomerData, true>> = { email: true, name: true, roles: true };

/** Whether a patch sets any member to another value than the customer has. */
function customerDiffers(before: Customer, patch: Partial<CustomerData>): boolean {
  const names = Object.keys(dataMembers) as (keyof CustomerData)[];
  return names.some((name) => patch[name] !== undefined && !isDeepStrictEqual(patch[name], before[name]));
}
