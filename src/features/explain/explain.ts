// Explains whether an actor may create, read, update and delete an entry, and why (docs/contract.md §10.1). The
// operation runs with the actor's access, so that the explanation comes from the rules that decide the actor's own
// requests.
import { fail } from '../../base/errors.ts';
import { channelRules } from '../../fields/compiled.ts';
import { actorForms, type PreviewArguments } from '../../inputs/actor.ts';
import { readDefinitions } from '../../fields/definition.ts';
import { wholeFields } from '../../fields/narrowed.ts';
import { explainAccess, type Decision, type Explanation, type Guarded } from '../../rules/access.ts';
import { followsAllChanges, previewers, type Viewer } from '../../rules/callers.ts';
import {
  decideField,
  explainField,
  hasRule,
  namedMemberRoles,
  ruleSubject,
  type RuleDecision,
} from '../../rules/fieldRules.ts';
import { entryKey, type EntryKey } from '../../rules/names.ts';
import { findChannel } from '../../resolvers/load.ts';
import { onEntries, type EntryRead, type OperationContext } from '../../resolvers/operation.ts';
import { throwNoSuchEntry } from '../../resolvers/entries/hidden.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { hasSiteRight, memberOwner, writeRight } from '../../rules/rights.ts';
import type { ToldDecision, ToldExplanation, ToldFieldDecision } from './serializer.ts';

interface ExplainArguments extends PreviewArguments {
  readonly channel: string;
  readonly id: string;
}

interface ExplainInput {
  readonly channel: string;
  /** Null for a text that cannot be the name of an entry. */
  readonly key: EntryKey | null;
}

/** Explains only entries of which the caller itself may read the members that decide access. */
export const explainEntryAccess: EntryRead<{
  args: ExplainArguments;
  input: ExplainInput;
  loaded: ToldExplanation;
  done: ToldExplanation;
  result: ToldExplanation;
}> = {
  name: 'explainEntryAccess',
  callers: previewers,
  scope: onEntries('read', true),

  parse: ({ channel, id, as: actor }) => {
    if (actor === undefined || actor === null) {
      fail('bad_request', `as is missing: send ${actorForms}.`);
    }
    return { channel, key: entryKey(id) };
  },

  load: async ({ channel: id, key }, context) => {
    const channel = await findChannel(id, context);
    const { within } = context.viewer;
    const row = key && within && (await context.services.db.entry.findVisible(channel, within, key));
    if (row === null || within === null) throwNoSuchEntry();
    await context.admission.budget.takeRows(row.size);
    const decisions = explainAccess(context.viewer, channelRules(channel), row, context.caller.kind);
    return { ...tellRights(decisions, channel, context), fields: tellFields(channel, row, within, context) };
  },

  authorize: 'byPredicate',

  run: (explanation) => Promise.resolve(explanation),

  present: (explanation) => explanation,
};

/** Adds the rights that decided, or that are missing; of another member only those that the caller may know. */
function tellRights(
  { publication, ...decisions }: Explanation,
  { id }: Channel,
  context: OperationContext,
): Omit<ToldExplanation, 'fields'> {
  const isTold = mayKnowRights(context);
  const tell = ({ right, ...decision }: Decision): ToldDecision => {
    if (right === undefined) return { ...decision, right: null };
    const key = decision.decidedBy === 'right' && !isTold ? null : decision.key;
    const told = isTold ? writeRight({ ...right, channel: right.channel === null ? null : id }) : null;
    return { ...decision, key, right: told };
  };
  const { create, read, update, delete: remove, publish } = decisions;
  const told = { create: tell(create), read: tell(read), update: tell(update), delete: tell(remove) };
  return { ...told, publish: tell(publish), publication };
}

/**
 * Lists the fields with rules that the caller may read itself, with what the rules decide for the actor. The keys of another
 * member's roles are shown as its rights are.
 */
function tellFields(
  channel: Channel,
  { owner }: Guarded,
  within: Viewer,
  context: OperationContext,
): readonly ToldFieldDecision[] {
  const { viewer, caller } = context;
  const isTold = mayKnowRights(context);
  const tell = ({ allowed, key }: RuleDecision): RuleDecision => {
    return { allowed, key: key !== null && namedMemberRoles([key]).length > 0 && !isTold ? null : key };
  };
  const actor = ruleSubject(viewer);
  const own = caller.member === undefined ? caller.customer?.id : memberOwner(caller.member);
  const isOwn = own !== undefined && own !== null && owner === own;
  return readDefinitions(wholeFields(channel.fields))
    .filter((field) => hasRule(field) && decideField(field, ruleSubject(within)).isReadable)
    .map((field) => {
      const { read, write } = explainField(field, actor, isOwn);
      return { name: field.name, read: tell(read), write: tell(write) };
    });
}

/** Whether a caller may know the roles of the actor: of itself, with the right to members, or with a master token. */
function mayKnowRights({ caller, viewer: { within }, actor: { userId } }: OperationContext): boolean {
  if (within === null) return false;
  if (followsAllChanges(within) || caller.member?.user === userId) return true;
  return within.subject.is === 'member' && hasSiteRight(within.subject, 'members');
}
