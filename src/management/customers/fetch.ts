// Fetches a customer (docs/contract.md §1, §7).
import type { Customer } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { presentCustomer, type PublicCustomer } from './serializer.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findCustomer } from './find.ts';

interface FetchCustomerArguments {
  readonly id: string;
}

export const fetchCustomer: ManagementOperation<{
  args: FetchCustomerArguments;
  done: Customer;
  result: PublicCustomer;
}> = {
  name: 'fetchCustomer',
  callers: managers,
  needs: ['customers'],

  run: ({ id }, context) => findCustomer(context, id),

  present: presentCustomer,
};
