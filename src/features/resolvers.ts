// The GraphQL resolvers. Each top-level field performs an operation with the field's arguments; the fields below it are
// members of the object that the operation presents.
import type { Budget } from '../admission/budget.ts';
import { errorTable, ServiceError } from '../base/errors.ts';
import type { MutationResolvers, OperationError, QueryResolvers, Resolvers } from '../generated/graphql/types.ts';
import { redactTokens } from '../base/redaction.ts';
import { operations } from './operations.ts';
import type { Operation, ResultOf, Steps } from '../resolvers/operation.ts';
import { perform } from '../resolvers/perform.ts';
import { reference, references } from '../resolvers/references/graphqlFields.ts';
import type { PublicAuditRecord } from './audit/serializer.ts';
import type { PublicChange } from './changes/serializer.ts';
import { presentWholeChannel } from '../serializers/channel.ts';
import { ParsedFields, type ShownFields } from '../serializers/shownFields.ts';
import { subscribeToChanges } from '../graphql/subscription.ts';
import { countBytes, showFields, showSome, showValue } from '../graphql/entryFields.ts';
import type { GraphqlContext } from '../graphql/idempotency.ts';

type FieldResolver<Args, Result> = (parent: unknown, args: Taken<Args>, context: GraphqlContext) => Promise<Result>;

/** Arguments without any other of the schema: one that the operation does not take would be ignored, and does not compile. */
type Taken<Args> = Args & Readonly<Partial<Record<Exclude<ArgumentName, NameIn<Args>>, never>>>;

/** The names of the arguments that any field at the top has. */
type ArgumentName = NameIn<ArgumentsOf<QueryResolvers> | ArgumentsOf<MutationResolvers>>;
type ArgumentsOf<Fields> = {
  [Field in keyof Fields]: Fields[Field] extends Takes<infer Args> ? Args : never;
}[keyof Fields];
type Takes<Args> = (parent: never, args: Args, ...rest: never) => unknown;
/** The names of an object's members, or of those of all objects of a union. `string` is none. */
type NameIn<Args> = Args extends unknown ? (string extends keyof Args ? never : keyof Args) : never;

/** Creates the resolver of a top-level field. */
function field<S extends Steps>(operation: Operation<S>): FieldResolver<S['args'], ResultOf<S>> {
  return (_parent, args, context) => {
    const { noteStored } = context;
    const result = perform(operation, args, context);
    if (noteStored === undefined) return result;
    return result.then((done) => {
      noteStored(operation.stores?.(done) ?? true);
      return done;
    });
  };
}

/** Creates the resolver of a field that reads one thing: null where there is none that the caller may see. */
function findingField<S extends Steps>(operation: Operation<S>): FieldResolver<S['args'], ResultOf<S> | null> {
  return (_parent, args, context) => perform(operation, args, context).catch(nullIfNotFound);
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'not_found') return null;
  throw error;
}

export const resolvers = {
  Query: {
    entry: findingField(operations.fetchEntry),
    entries: field(operations.listEntries),
    channel: findingField(operations.fetchChannel),
    channels: field(operations.listChannels),
    accessExplanation: findingField(operations.explainEntryAccess),
    channelAclPreview: findingField(operations.previewChannelAcl),
    rights: findingField(operations.fetchRights),
    customer: findingField(operations.fetchCustomer),
    customers: field(operations.listCustomers),
    sessions: field(operations.listSessions),
    tokens: field(operations.listTokens),
    changes: field(operations.listChanges),
    webhooks: field(operations.listWebhooks),
    webhookDeliveries: field(operations.listDeliveries),
    auditLog: field(operations.listAudit),
  },
  Mutation: {
    createEntry: field(operations.createEntry),
    updateEntry: field(operations.updateEntry),
    deleteEntry: field(operations.deleteEntry),
    bulkEntries: field(operations.bulkEntries),
    createChannel: field(operations.createChannel),
    updateChannel: field(operations.updateChannel),
    deleteChannel: field(operations.deleteChannel),
    createCustomer: field(operations.createCustomer),
    updateCustomer: field(operations.updateCustomer),
    createSession: field(operations.createSession),
    revokeSession: field(operations.revokeSession),
    createToken: field(operations.createToken),
    revokeToken: field(operations.revokeToken),
    createWebhook: field(operations.createWebhook),
    updateWebhook: field(operations.updateWebhook),
    deleteWebhook: field(operations.deleteWebhook),
    rotateWebhookSecret: field(operations.rotateWebhookSecret),
    testWebhook: field(operations.testWebhook),
    redeliver: field(operations.redeliver),
  },
  Subscription: {
    // Each event is executed with the change as the root.
    changes: { subscribe: subscribeToChanges, resolve: (change: PublicChange) => change },
  },
  Entry: {
    channel: ({ channel, origin: { reader } }) => channel && presentWholeChannel(channel, reader),
    titleFieldValue: ({ titleFieldValue = null }, _args, { admission: { budget } }) => {
      if (titleFieldValue !== null) budget.takeAnswer(Buffer.byteLength(titleFieldValue));
      return titleFieldValue;
    },
    acl: ({ acl }, _args, { admission: { budget } }) => {
      if (acl === undefined) return null;
      budget.takeAnswer(countBytes(acl));
      return Object.entries(acl).map(([actor, rule]) => ({ actor, ...silentRule, ...rule }));
    },
    owner: ({ owner }) => owner ?? null,
    fields: (entry, { only }, { admission: { budget } }) =>
      only ? showSome(entry, only, budget) : showFields(entry, budget),
    value: (entry, { name }, { admission: { budget } }) => showValue(entry, name, budget),
    reference,
    references,
  },
  EntryConnection: {
    nodes: ({ edges }) => edges.map(({ node }) => node),
    edges: ({ edges }) => [...edges],
    pageInfo: ({ edges, hasNextPage, hasPreviousPage }) => ({
      hasNextPage,
      hasPreviousPage,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    }),
    totalCount: async ({ count }) => {
      const total = await count('exact');
      return 'exactly' in total ? total.exactly : null;
    },
  },
  ChangeConnection: {
    nodes: ({ changes }) => [...changes],
  },
  Change: {
    entry: ({ entry }) => entry(),
  },
  Channel: {
    fields: async ({ details }, _args, { admission: { budget } }) => {
      const { fields } = await details();
      budget.takeAnswer(countBytes(fields));
      return [...fields];
    },
    description: async ({ details }, _args, { admission: { budget } }) => {
      const { description } = await details();
      if (description !== null) budget.takeAnswer(Buffer.byteLength(description));
      return description;
    },
  },
  AuditRecord: {
    before: ({ before }, _args, { admission: { budget } }) => showMembers(before, budget),
    after: ({ after }, _args, { admission: { budget } }) => showMembers(after, budget),
  },
  EntryStub: {
    titleFieldValue: ({ title_field_value }) => title_field_value,
  },
  OperationResult: {
    entry: ({ entry }) => entry ?? null,
    error: ({ error }) => (error ? presentRefusal(error) : null),
  },
} satisfies Resolvers;

/** Shows the members of a record. @throws answer_too_large */
function showMembers(members: PublicAuditRecord['before'], budget: Budget): ShownFields | null {
  if (members === null) return null;
  const shown = new ParsedFields(members);
  budget.takeAnswer(countBytes(shown));
  return shown;
}

/** An access rule without any grant or denial; it fills in the members that a stored rule lacks. */
const silentRule = { create: null, read: null, update: null, delete: null };

/** Presents a refusal as data: the executor would treat an Error object as an error of the field. */
function presentRefusal({ code, detail, errors }: ServiceError): OperationError {
  return {
    code: errorTable[code].graphql,
    message: redactTokens(detail),
    errors: errors?.map((each) => ({ ...each, message: redactTokens(each.message) })) ?? null,
  };
}
