// Removes a provider, with its links and the sign-ins that were made by it. Only the command line has this operation
// (docs/contract.md §14.8).
import { fail } from '../../../base/errors.ts';
import { auditProvider } from '../../../management/auditedMembers.ts';
import { manage } from '../../../management/manage.ts';
import { endSignIns } from '../../../management/users/endSignIns.ts';
import { noSite } from '../../../resolvers/auditRecords.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { operators } from '../../../rules/callers.ts';
import { endIdentities } from './endIdentities.ts';

/** The numbers of what has ended with the provider. */
interface EndedWithProvider {
  readonly links: number;
  readonly signIns: number;
}

export const removeProvider: ManagementOperation<{ args: { readonly id: string }; done: EndedWithProvider }> = {
  name: 'removeProvider',
  callers: operators,

  run: ({ id }, context) =>
    manage(context, async ({ db }) => {
      // Waits for the sign-ins by it that are under way, and later ones find none.
      await db.$queryRaw`SELECT 1 AS held FROM providers p WHERE p.id = ${id} FOR UPDATE`;
      const row = await db.provider.findUnique({ where: { id } });
      if (row === null) fail('not_found', `There is no provider "${id}". See "entryway provider list".`);
      await db.$queryRaw`SELECT 1 AS held FROM users u WHERE u.id IN (
        SELECT s.user_id FROM sign_ins s WHERE s.provider_id = ${id}
        UNION SELECT i.user_id FROM identities i WHERE i.provider_id = ${id}) ORDER BY u.id FOR NO KEY UPDATE`;
      const signIns = await endSignIns(db, { providerId: id });
      const links = await endIdentities(db, { providerId: id });
      await db.provider.delete({ where: { id } });
      const change = { siteId: noSite, type: 'provider', subject: id, action: 'deleted', after: null } as const;
      const removed = { ...change, before: auditProvider(row) };
      return { result: { links: links.length, signIns: signIns.length }, changes: [...signIns, ...links, removed] };
    }),
};
