// Creates a customer. Customers are never deleted, so that an id is never used again (docs/contract.md §1).
import { v7 as uuidv7 } from 'uuid';
import type { CustomerInput } from '../../generated/graphql/types.ts';
import type { Customer } from '../../generated/prisma/client.ts';
import { checkNewCustomer } from '../../inputs/customer.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentCustomer, type PublicCustomer } from './serializer.ts';
import { throwDuplicateId } from '../duplicateId.ts';
import { auditCustomer } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { requireSiteRights } from '../../resolvers/missingRight.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

type CreateCustomerArguments = Sent<CustomerInput>;

export const createCustomer: ManagementOperation<{
  args: CreateCustomerArguments;
  done: Customer;
  result: PublicCustomer;
}> = {
  name: 'createCustomer',
  callers: managers,
  needs: ['customers'],

  run: async (sent, context) => {
    const { site: siteId, now } = context;
    const { id, ...data } = checkNewCustomer(sent);
    // A role may give its customer what the caller cannot read.
    if (data.roles.length > 0) requireSiteRights(context.caller, ['channels']);
    const values = { ...data, siteId, id: id ?? uuidv7(), createdAt: now, updatedAt: now };
    return manage(context, async ({ db }) => {
      const [row = throwDuplicateId('customer')] = await db.customer.createManyAndReturn({
        data: [values],
        skipDuplicates: true,
      });
      const change = { type: 'customer', subject: row.id, action: 'created', before: null } as const;
      return { result: row, changes: [{ ...change, after: auditCustomer(row) }] };
    });
  },

  present: presentCustomer,
};
