// Completes an import: the site exists from now on, with its members; unproven users are invited. Only the command line has this operation
// (docs/contract.md §12.4).
import { v7 as uuidv7 } from 'uuid';
import { noSite } from '../../../resolvers/auditRecords.ts';
import { countWithoutTimeout } from '../../../database/longStatements.ts';
import type { OperationClient } from '../../../entries/model.ts';
import { countOfSite } from '../../../entries/whole.ts';
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import { fail } from '../../../base/errors.ts';
import { isBuiltIn } from '../../../auth/members.ts';
import { parseImportedMembers, type ImportedMember } from './input.ts';
import { operators } from '../../../rules/callers.ts';
import { findNamedRoles } from '../../../management/channels/fieldRules.ts';
import { auditMember, auditSite, auditUser } from '../../../management/auditedMembers.ts';
import { inviteUnproven, type PrintedInvitation } from '../../../management/invitations/unproven.ts';
import type { ManagedChange } from '../../../management/manage.ts';
import { findUsersByEmail } from '../../../management/users/find.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { storeImported, type ImportName } from './held.ts';

const countedSections = ['channels', 'customers', 'roles', 'webhooks', 'tokens', 'sessions', 'entries'] as const;

/** The number of rows of each section according to the file. */
type Counts = Readonly<Record<(typeof countedSections)[number], number>>;

interface FinishImportArguments extends ImportName {
  readonly members: readonly unknown[];
  readonly counts: Counts;
}

type FinishImportInput = Omit<FinishImportArguments, 'members'> & { readonly members: readonly ImportedMember[] };

export const finishSiteImport: ManagementOperation<{
  args: FinishImportArguments;
  input: FinishImportInput;
  done: readonly PrintedInvitation[];
}> = {
  name: 'finishSiteImport',
  callers: operators,

  parse: (args) => ({ ...args, members: parseImportedMembers(args.members) }),

  run: async ({ id, importing, members, counts }, context) => {
    const {
      services: { db },
      now,
    } = context;
    await assertComplete(db, id, counts);
    for (let placed = Infinity; placed > 0;) ({ placed } = await context.services.assignPositions(id));
    let invitations: readonly PrintedInvitation[] = [];
    await storeImported(context, { id, importing }, async (transaction) => {
      const revealed = await revealSite(transaction, { id, importing });
      const stored = await storeMembers(transaction, id, members, now);
      ({ invitations } = stored);
      return [...revealed, ...stored.changes];
    });
    return invitations;
  },
};

/** @throws conflict if there are too few or too many rows */
async function assertComplete(db: OperationClient, siteId: string, counts: Counts): Promise<void> {
  const where = { siteId };
  const storedCounts: Counts = {
    channels: await db.channel.count({ where }),
    customers: await db.customer.count({ where }),
    roles: await db.role.count({ where }),
    webhooks: await db.webhook.count({ where }),
    tokens: await db.token.count({ where }),
    sessions: await db.session.count({ where }),
    entries: await countWithoutTimeout(db, countOfSite(siteId)),
  };
  const wrong = countedSections.find((section) => storedCounts[section] !== counts[section]);
  if (wrong !== undefined) {
    fail(
      'conflict',
      `The site has ${storedCounts[wrong]} ${wrong}, and its file says ${counts[wrong]}: it is not imported.`,
    );
  }
}

/** Makes the site visible. */
async function revealSite(db: TransactionClient, { id, importing }: ImportName): Promise<ManagedChange[]> {
  const complete = { importing: null, importingAt: null };
  const sites = await db.site.updateManyAndReturn({ where: { id, importing }, data: complete });
  const change = { siteId: id, type: 'site', subject: id, action: 'created', before: null } as const;
  return sites.map((site) => ({ ...change, after: auditSite(site) }));
}

/** The records of members, and the invitations that unproven users got in place of a membership. */
interface StoredMembers {
  readonly changes: readonly ManagedChange[];
  readonly invitations: readonly PrintedInvitation[];
}

/**
 * Makes users members by their addresses. A user is created for an unknown address: without a token it opens nothing.
 */
async function storeMembers(
  db: TransactionClient,
  siteId: string,
  members: readonly ImportedMember[],
  now: Date,
): Promise<StoredMembers> {
  const named = await findNamedRoles(db, siteId);
  await assertRoles(db, siteId, new Set(named.keys()), 'The rule of a field names');
  if (members.length === 0) return { changes: [], invitations: [] };
  const newUsers = members.map(({ email, name }) => ({ id: uuidv7(), email, name, createdAt: now }));
  const createdUsers = await db.user.createManyAndReturn({ data: newUsers, skipDuplicates: true });
  const found = await findUsersByEmail(
    members.map(({ email }) => email),
    db,
  );
  const users = [...found.values()].filter(({ unproven }) => !unproven);
  const known = members.flatMap((member) => {
    const user = found.get(member.email);
    return user === undefined ? [] : [[user.id, member] as const];
  });
  const since = new Map(known.map(([id, { created_at }]) => [id, created_at]));
  const rolesOf = new Map(known.map(([id, { roles }]) => [id, roles]));
  await assertRoles(db, siteId, new Set(members.flatMap(({ roles }) => roles)), 'A member has');
  const data = users.map(({ id: userId }) => {
    return { siteId, userId, roles: rolesOf.get(userId) ?? [], createdAt: since.get(userId) ?? now };
  });
  await db.membership.createMany({ data });
  const invited: Awaited<ReturnType<typeof inviteUnproven>>[] = [];
  for (const { id, email, unproven } of found.values()) {
    if (unproven) invited.push(await inviteUnproven(db, { siteId, email, roles: rolesOf.get(id) ?? [], now }));
  }
  const created = { action: 'created', before: null } as const;
  const changes = [
    ...createdUsers.map(
      (user) => ({ ...created, siteId: noSite, type: 'user', subject: user.id, after: auditUser(user) }) as const,
    ),
    ...users.map((user) => {
      const after = auditMember(user, rolesOf.get(user.id) ?? []);
      return { ...created, siteId, type: 'member', subject: user.id, after } as const;
    }),
    ...invited.map(({ change }) => change),
  ];
  return { changes, invitations: invited.map(({ invitation }) => invitation) };
}

/** @throws bad_request naming a role of members that there is not */
async function assertRoles(
  db: TransactionClient,
  siteId: string,
  ids: ReadonlySet<string>,
  where: string,
): Promise<void> {
  if (ids.size === 0) return;
  const own = await db.role.findMany({ where: { siteId }, select: { id: true } });
  const known = new Set(own.map(({ id }) => id));
  const missing = [...ids].find((id) => !isBuiltIn(id) && !known.has(id));
  if (missing !== undefined) fail('bad_request', `${where} the role "${missing}", which the site does not have.`);
}
