// Lists the providers, oldest first, each with the number of users who are linked to it. Only the command line has this operation
// (docs/contract.md §14.8).
import type { Provider } from '../../../generated/prisma/client.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { operators } from '../../../rules/callers.ts';
import { presentProvider, type PublicProvider } from './add.ts';

type CountedProvider = Provider & { readonly _count: { readonly identities: number } };

export const listProviders: ManagementOperation<{
  args: object;
  done: readonly CountedProvider[];
  result: (PublicProvider & { readonly links: number })[];
}> = {
  name: 'listProviders',
  callers: operators,

  run: (_input, { services: { db } }) =>
    db.provider.findMany({
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { _count: { select: { identities: true } } },
    }),

  present: (rows) => rows.map((row) => ({ ...presentProvider(row), links: row._count.identities })),
};
