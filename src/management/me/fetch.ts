// Tells who the sender's token is, and what it may do (docs/contract.md §14.2). REST's request need not name a site.
import { fail } from '../../base/errors.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import type { Context } from '../../resolvers/context.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { anyToken, type TokenKind } from '../../rules/callers.ts';
import { everything, intersectRights, rightsByHandle, writeRight } from '../../rules/rights.ts';
import { scopesById } from '../../rules/scopes.ts';
import { readChannelIds } from '../roles/site.ts';
import type { MySite, PublicMe } from './serializer.ts';

export const fetchMe: EntryRead<
  { args: object; input: null; loaded: PublicMe; done: PublicMe; result: PublicMe },
  Context
> = {
  name: 'fetchMe',
  callers: anyToken,
  scope: 'nothing',

  parse: () => null,

  load: async (_input, context) => {
    const { kind } = context.caller;
    if (kind === 'operator') fail('forbidden', 'A command has no token.');
    const { userId } = context.actor;
    if (userId === null) return describeSiteToken(kind, context);
    const user = await context.services.db.user.findUnique({ where: { id: userId } });
    if (user === null) fail('unauthenticated', 'The access token is not valid.');
    const { id, email, name } = user;
    return {
      kind,
      user: { id, email, name },
      sites: await listSites(id, context),
      rights: context.site === noSite ? null : await listRights(context),
    };
  },

  // It is about the sender's own token alone.
  authorize: 'byPredicate',

  run: (me) => Promise.resolve(me),

  present: (me) => me,
};

async function describeSiteToken(kind: TokenKind, context: Context): Promise<PublicMe> {
  const { services, site, caller } = context;
  const { db } = services;
  const row = await db.site.findUnique({ where: { id: site }, select: { id: true, name: true } });
  const sites = row === null ? [] : [{ id: row.id, name: row.name, roles: [] }];
  const rights = caller.scopes === null ? [everything] : scopesById(caller.scopes).map(writeRight);
  return { kind, user: null, sites, rights: kind === 'master' ? rights : null };
}

/** The sites of which a user is a member, as far as its token enters them. One that is being imported is not there yet. */
async function listSites(userId: string, { services: { db }, actor: { tokenSite } }: Context): Promise<MySite[]> {
  const rows = await db.membership.findMany({
    where: { userId, site: { importing: null }, ...(tokenSite !== null && { siteId: tokenSite }) },
    orderBy: { siteId: 'asc' },
    select: { siteId: true, roles: true, site: { select: { name: true } } },
  });
  return rows.map(({ siteId: id, roles, site: { name } }) => ({ id, name, roles }));
}

/**
 * The rights of the caller in the request's site, each once, as far as the scopes of its token have them: none for a user without roles,
 * and with a session.
 */
async function listRights({ caller, services: { db }, site }: Context): Promise<string[]> {
  const ofRoles = (caller.member?.roles ?? []).flatMap((role) => role.rights);
  const { scopes } = caller;
  const rights = scopes === null ? ofRoles : intersectRights(ofRoles, scopes.roles[0].rights);
  if (rights.length === 0) return [];
  const idOf = await readChannelIds(db, site);
  return [...new Set(rightsByHandle(rights.map(writeRight), idOf).map(writeRight))];
}
