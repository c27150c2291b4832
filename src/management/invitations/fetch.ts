// Fetches an open invitation of a site (docs/contract.md §14.2).
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { managers } from '../../rules/callers.ts';
import { findInvitation } from './find.ts';
import { presentInvitation, type PublicInvitation } from './serializer.ts';

export const fetchInvitation: ManagementOperation<{ args: { readonly id: string }; done: PublicInvitation }> = {
  name: 'fetchInvitation',
  callers: managers,
  needs: ['members'],

  run: async (input, context) => presentInvitation(await findInvitation(input, context)),
};
