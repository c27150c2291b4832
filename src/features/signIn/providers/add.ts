// Adds an OpenID Connect provider, by which users sign in from now on. Only the command line has this operation (docs/contract.md
// §14.8).
import { randomBytes } from 'node:crypto';
import { fail } from '../../../base/errors.ts';
import type { Provider } from '../../../generated/prisma/client.ts';
import { auditProvider } from '../../../management/auditedMembers.ts';
import { manage } from '../../../management/manage.ts';
import { noSite } from '../../../resolvers/auditRecords.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { operators } from '../../../rules/callers.ts';

/** The most providers of an installation. */
const maxProviders = 50;

/** The settings of a new provider, which were checked. */
type AddProviderArguments = Pick<Provider, 'id' | 'name' | 'issuer' | 'clientId' | 'clientSecret' | 'domains'>;

export const addProvider: ManagementOperation<{ args: AddProviderArguments; done: Provider; result: PublicProvider }> =
  {
    name: 'addProvider',
    callers: operators,

    run: (settings, context) =>
      manage(context, async ({ db }) => {
        if ((await db.provider.count()) >= maxProviders)
          fail('conflict', `There are ${maxProviders} providers already.`);
        const data = { ...settings, key: new Uint8Array(randomBytes(32)), createdAt: context.now };
        const [row] = await db.provider.createManyAndReturn({ data: [data], skipDuplicates: true });
        if (row === undefined) {
          fail('conflict', `There is a provider "${settings.id}" already: remove it first, which ends its links.`);
        }
        const change = { siteId: noSite, type: 'provider', subject: row.id, action: 'created', before: null } as const;
        return { result: row, changes: [{ ...change, after: auditProvider(row) }] };
      }),

    present: presentProvider,
  };

/** A provider as commands show it: without its secret. */
export type PublicProvider = Pick<Provider, 'id' | 'name' | 'issuer' | 'clientId' | 'domains' | 'createdAt'>;

export function presentProvider({ id, name, issuer, clientId, domains, createdAt }: Provider): PublicProvider {
  return { id, name, issuer, clientId, domains, createdAt };
}
