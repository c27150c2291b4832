// Lists the roles of a site, the built-in ones first. Only the command line has this operation (docs/contract.md §14.2).
import { operators } from '../../rules/callers.ts';
import { builtInRoles, rightsByHandle, writeRight } from '../../rules/rights.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { readChannelIds } from './site.ts';

interface ListedRole {
  readonly id: string;
  readonly name: string | null;
  readonly rights: readonly string[];
  readonly builtIn: boolean;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

export const listRoles: ManagementOperation<{ args: { readonly site: string }; done: readonly ListedRole[] }> = {
  name: 'listRoles',
  callers: operators,

  run: async (args, context) => {
    const { id: siteId } = await findSite(args.site, context);
    const { db } = context.services;
    const idOf = await readChannelIds(db, siteId);
    const own = await db.role.findMany({ where: { siteId }, orderBy: { id: 'asc' } });
    return [
      ...builtInRoles.map(({ id, rights }) => {
        return { id, name: null, rights: rights.map(writeRight), builtIn: true, createdAt: null, updatedAt: null };
      }),
      ...own.map(({ id, name, rights, createdAt, updatedAt }) => {
        return { id, name, rights: rightsByHandle(rights, idOf).map(writeRight), builtIn: false, createdAt, updatedAt };
      }),
    ];
  },
};
