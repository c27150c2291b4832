// Lists the members of a site, newest first (docs/contract.md §14.2).
import { z } from 'zod';
import { makeCursor, readCursor } from '../../inputs/lists/cursor.ts';
import { readSize } from '../../inputs/lists/list.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Context } from '../../resolvers/context.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { previewers } from '../../rules/callers.ts';
import { makeCursorPage } from '../../serializers/connection.ts';
import { presentMember, withUser, type MemberPage, type MemberRow } from './serializer.ts';

interface ListMembersArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

export interface MemberListInput {
  readonly size: number;
  readonly after: string | null;
}

export const listMembers: EntryRead<
  {
    args: ListMembersArguments;
    input: MemberListInput;
    loaded: readonly MemberRow[];
    done: readonly MemberRow[];
    result: MemberPage;
  },
  Context
> = {
  name: 'listMembers',
  callers: previewers,
  scope: ['members'],

  parse: ({ first, after }) => ({ size: readSize(first), after: after ?? null }),

  load: ({ after, size }, { services: { db }, site: siteId }) =>
    db.membership.findMany({
      where: { siteId, ...(after === null ? {} : startBehind(after, siteId)) },
      orderBy: [{ createdAt: 'desc' }, { userId: 'desc' }],
      // Reads one row more than the page holds, to detect a next page.
      take: size + 1,
      include: withUser,
    }),

  // Management tokens may read the id and the name of every member.
  authorize: 'byPredicate',

  run: (rows) => Promise.resolve(rows),

  present: (rows, _loaded, page, { caller, services: { db }, site }) =>
    makeCursorPage(
      rows,
      page,
      (row) => ({
        cursor: makeCursor(identifyMemberList(site), [row.createdAt.toISOString(), row.userId]),
        node: presentMember(row, caller),
      }),
      () => db.membership.count({ where: { siteId: site } }),
    ),
};

/** The identity of the list that a cursor is bound to: a cursor of another list is refused. */
function identifyMemberList(site: string): unknown {
  return { site, of: 'members' };
}

/** A position in the list: when a membership began, and the user's id. */
const memberPosition = z.tuple([z.iso.datetime().refine((time) => !time.startsWith('0000')), z.uuid()]);

/** The condition for the members after a cursor's position. @throws bad_request for a cursor of another list */
function startBehind(after: string, site: string): Prisma.MembershipWhereInput {
  const [time, userId] = readCursor(identifyMemberList(site), after, memberPosition);
  const createdAt = new Date(time);
  return { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { userId: { lt: userId } }] };
}
