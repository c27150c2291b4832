// Fetches a customer (docs/contract.md §1, §7).
import type { Context } from '../../resolvers/context.ts';
import type { Customer } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { presentCustomer, type PublicCustomer } from './serializer.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { findCustomer } from './find.ts';

interface FetchCustomerArguments {
  readonly id: string;
}

export const fetchCustomer: Operation<
  FetchCustomerArguments,
  FetchCustomerArguments,
  Customer,
  Customer,
  PublicCustomer,
  Context
> = {
  name: 'fetchCustomer',
  callers: managers,

  parse: (args) => args,

  load: ({ id }, context) => findCustomer(context, id),

  authorize: authorizedByLoad,

  run: (customer) => Promise.resolve(customer),

  present: presentCustomer,
};
