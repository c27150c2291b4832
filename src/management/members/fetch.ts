// Fetches a member of a site (docs/contract.md §14.2).
import type { Context } from '../../resolvers/context.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { previewers } from '../../rules/callers.ts';
import { findMember } from './find.ts';
import { presentMember, type MemberRow, type PublicMember } from './serializer.ts';

interface FetchMemberArguments {
  readonly user: string;
}

export const fetchMember: EntryRead<
  {
    args: FetchMemberArguments;
    input: FetchMemberArguments;
    loaded: MemberRow;
    done: MemberRow;
    result: PublicMember;
  },
  Context
> = {
  name: 'fetchMember',
  callers: previewers,
  scope: ['members'],

  parse: (args) => args,

  load: ({ user }, { services: { db }, site }) => findMember(db, site, user),

  // Management tokens may read the id and the name of every member.
  authorize: 'byPredicate',

  run: (row) => Promise.resolve(row),

  present: (row, _loaded, _input, { caller }) => presentMember(row, caller),
};
