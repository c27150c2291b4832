// The map of all resolvers: what GraphQL executes, and REST's rows name. The only barrel.
import type { Context } from '../context.ts';
import type { Resolvers } from '../generated/graphql/types.ts';
import { assertStorable } from '../inputs/json.ts';
import * as bulk from './entries/bulk.ts';
import * as channels from './channels/channels.ts';
import * as customers from './customers/customers.ts';
import * as entries from './entries/read.ts';
import { createEntry } from './entries/create.ts';
import { deleteEntry, updateEntry } from './entries/update.ts';
import * as sessions from './sessions/sessions.ts';
import * as tokens from './tokens/tokens.ts';
import { following, followingAll, followingEach } from './references/embed.ts';
import { forgetTargets } from './references/loader.ts';
import { types } from './types.ts';

type Operation = (parent: never, args: never, context: Context) => unknown;

/**
 * Operations whose arguments are looked at before anything else is done: what can't be stored, or is too much, is
 * refused once, for every operation of both doors. `useAcl` is made the context's, so that it holds for all that is
 * read below the operation.
 */
function guarded<Operations extends Record<string, Operation>>(operations: Operations): Operations {
  const guard =
    (operation: Operation): Operation =>
    (parent, args, context) => {
      assertStorable(args, context.limits.json);
      forgetTargets(context);
      const { useAcl } = args as { readonly useAcl?: boolean };
      return operation(parent, args, useAcl === true ? { ...context, useAcl } : context);
    };
  const wrapped = Object.entries(operations).map(([name, operation]) => [name, guard(operation)]);
  return Object.fromEntries(wrapped) as Operations;
}

export const resolvers = {
  Query: guarded({
    entry: entries.entry,
    entries: entries.entries,
    channel: channels.channel,
    channels: channels.channels,
    customer: customers.customer,
    customers: customers.customers,
    sessions: sessions.sessions,
    tokens: tokens.tokens,
  }),
  Mutation: guarded({
    createEntry,
    updateEntry,
    deleteEntry,
    bulkEntries: bulk.bulkEntries,
    createChannel: channels.createChannel,
    updateChannel: channels.updateChannel,
    deleteChannel: channels.deleteChannel,
    createCustomer: customers.createCustomer,
    updateCustomer: customers.updateCustomer,
    createSession: sessions.createSession,
    revokeSession: sessions.revokeSession,
    createToken: tokens.createToken,
    revokeToken: tokens.revokeToken,
  }),
  ...types,
} satisfies Resolvers;

/** Operations as REST has them: those that it alone has, and those whose answers show what an entry refers to. */
export const restResolvers = guarded({
  count: entries.countOf,
  entry: following(entries.entry),
  entries: followingAll(entries.entries),
  createEntry: following(createEntry),
  updateEntry: following(updateEntry),
  bulkEntries: followingEach(bulk.bulkEntries),
});
