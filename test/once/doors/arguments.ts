// Every argument that a request can carry, through either door, and what it names. What names a thing that could be
// hidden has one owner in src/ that decides whether the caller may use the name (docs/architecture.md, "One predicate").
// An argument that is built without a row here, and a row without an argument, fail test/once/doors/arguments.test.ts;
// what a row says is tried in test/once/doors/arguments.hidden*.test.ts.

/** What an argument names; `value`: nothing. */
export type Thing =
  | 'site'
  | 'channel'
  | 'entry'
  | 'customer'
  | 'member'
  | 'role'
  | 'invitation'
  | 'session'
  | 'token'
  | 'webhook'
  | 'place'
  | 'field'
  | 'slug'
  | 'new'
  | 'actor'
  | 'value';

/**
 * Who decides whether a name may be used, and every place of src/ (the command line apart, which has the database
 * itself) where something is looked up by such a name: one that is added has to be thought about.
 */
export const owners: Readonly<
  Record<Exclude<Thing, 'value'>, { owner: [file: string, name: string]; lookups: RegExp; in: Record<string, number> }>
> = {
  site: {
    owner: ['src/auth/identify.ts', 'findSite'],
    lookups: /return directory\.member\(named/g,
    in: { 'src/auth/identify.ts': 1 },
  },
  // Of the caller's site alone.
  member: {
    owner: ['src/resolvers/viewer.ts', 'findMemberActor'],
    lookups: /directory\.member\(/g,
    in: { 'src/auth/identify.ts': 1, 'src/resolvers/replicaClient.ts': 1, 'src/resolvers/viewer.ts': 1 },
  },
  role: {
    owner: ['src/management/roles/find.ts', 'findOwnRole'],
    lookups: /\brole\.find(Unique|First)/g,
    in: {
      // Of a membership's own roles.
      'src/auth/members.ts': 1,
      'src/management/roles/find.ts': 1,
      // The operator's, who has the database itself.
      'src/management/roles/deleteNamed.ts': 1,
      'src/management/roles/set.ts': 1,
    },
  },
  invitation: {
    owner: ['src/management/invitations/find.ts', 'findInvitation'],
    lookups: /\binvitation\.find(Unique|First)/g,
    in: {
      // By its id in the caller's site; and by the hash of its link's token, which nobody else has.
      'src/management/invitations/find.ts': 2,
      // The one that was found, when it is locked.
      'src/management/invitations/store.ts': 1,
    },
  },
  channel: {
    owner: ['src/resolvers/load.ts', 'findChannel'],
    lookups: /directory\.channel(Now)?\(|\bchannel\.find(Unique|First)/g,
    // auth/directory.ts is what it asks; updateChannel and untilWritten ask it anew, for the name that was let through.
    // load.ts looks for the channel that an operation names, and for the one that a field refers to, each once more past the cache;
    // serializers/channel.ts for the one that a field refers to, to hide its name where it does not exist to the caller.
    in: {
      'src/auth/directory.ts': 1,
      // Those whose entries are to be rebuilt: nobody names them.
      'src/entries/redefinition/outdated.ts': 1,
      // By the name that was locked: its settings go to the audit log.
      'src/management/channels/delete.ts': 1,
      'src/resolvers/load.ts': 4,
      // The operator's, who imports a whole site.
      'src/features/moving/import/entries.ts': 1,
      'src/serializers/channel.ts': 1,
    },
  },
  entry: {
    owner: ['src/entries/sql/predicate.ts', 'visibleEntries'],
    lookups:
      /\bentry\s*\.(findVisible|findForWrite|listVisible|findPosition|countVisible|hasVisible|findVisibleByIds|findReferable|findSightDifferences)\b/g,
    // find.ts loads what a write is decided on, by the predicate of writes; load.ts and resolve.ts follow references, by the
    // predicate.
    in: {
      // Whether the caller sees any entry, by the predicate.
      'src/resolvers/knownChannels.ts': 1,
      'src/resolvers/entries/fetch.ts': 1,
      'src/resolvers/entries/list.ts': 3,
      'src/resolvers/entries/count.ts': 1,
      'src/resolvers/entries/find.ts': 1,
      // An entry that the caller of an explanation sees, by the predicate.
      'src/features/explain/explain.ts': 1,
      // An entry that the caller sees, by the predicate.
      'src/features/explain/rights.ts': 1,
      // What a change of scopes does: how many entries, and by the predicate which ones.
      'src/features/explain/previewAcl.ts': 2,
      'src/resolvers/references/resolve.ts': 1,
      'src/resolvers/load.ts': 1,
    },
  },
  customer: {
    owner: ['src/management/customers/find.ts', 'findCustomer'],
    lookups: /directory\.customer\(|\bcustomer\.find(Unique|First)/g,
    // A session's own customer, the customer of a preview, and the look-up for both, which the reads of standbys pass on.
    in: {
      'src/resolvers/replicaClient.ts': 1,
      'src/auth/tokens.ts': 1,
      'src/auth/directory.ts': 1,
      'src/management/customers/find.ts': 1,
      'src/resolvers/viewer.ts': 1,
    },
  },
  session: {
    owner: ['src/auth/tokens.ts', 'authenticateCustomer'],
    lookups: /directory\.session\(|\bsession\.find(Unique|First)/g,
    // By its id, revokeSession alone.
    in: { 'src/auth/tokens.ts': 1, 'src/auth/directory.ts': 1, 'src/management/sessions/revoke.ts': 1 },
  },
  token: {
    owner: ['src/auth/tokens.ts', 'authenticate'],
    lookups: /directory\.token\(|\btoken\.find(Unique|First)/g,
    // By its id, revokeToken alone.
    in: {
      'src/auth/tokens.ts': 1,
      'src/auth/directory.ts': 1,
      'src/management/tokens/revoke.ts': 1,
      // The operator's, who has the database itself.
      'src/management/tokens/revokeAny.ts': 1,
      'src/management/tokens/rotate.ts': 1,
    },
  },
  webhook: {
    owner: ['src/features/webhooks/operations/find.ts', 'findWebhook'],
    lookups: /\bwebhook(Delivery)?\.find(Unique|First)/g,
    // An attempt by its id, redeliver; the one that was just made, sendOnce.
    in: {
      'src/features/webhooks/operations/find.ts': 1,
      'src/features/webhooks/operations/redeliver.ts': 1,
      'src/features/webhooks/operations/sendOnce.ts': 1,
    },
  },
  place: {
    owner: ['src/inputs/lists/cursor.ts', 'readCursor'],
    lookups: /(?<!function )\bread(Entry|Change)?Cursor(<\w+>)?\(/g,
    in: {
      'src/inputs/lists/entryCursor.ts': 1,
      // A place in the site's feed, encrypted with the site's secret.
      'src/features/changes/list.ts': 1,
      // Of the site's audit log; and of those of all sites, which the operator reads.
      'src/features/audit/findRecords.ts': 1,
      'src/features/webhooks/operations/deliveries.ts': 1,
      'src/management/customers/list.ts': 1,
      'src/management/members/list.ts': 1,
      'src/resolvers/entries/list.ts': 1,
      'src/resolvers/references/graphqlFields.ts': 1,
    },
  },
  field: {
    owner: ['src/entries/comparable.ts', 'comparableField'],
    lookups: /(?<!function )\bcomparableField\(/g,
    // comparable.ts asks whether any channel could have the name; selection.ts looks at the members that are asked for, of what
    // the caller is shown. sort.ts looks once more for what a refusal suggests, and so does
    // wrongOperator.ts.
    in: {
      'src/entries/comparable.ts': 1,
      'src/inputs/lists/comparison.ts': 1,
      'src/inputs/lists/sort.ts': 2,
      'src/inputs/selection.ts': 1,
      'src/inputs/lists/wrongOperator.ts': 1,
    },
  },
  // A slug that is taken is refused whoever holds it: docs/contract.md §5 says that this much is told.
  slug: {
    owner: ['src/resolvers/entries/names.ts', 'chooseSlug'],
    lookups: /\bentry\.findTakenSlugs\(/g,
    in: { 'src/resolvers/entries/createMany.ts': 1, 'src/resolvers/entries/names.ts': 1 },
  },
  // The id of a channel or a customer to be: taken only where the site itself has it.
  new: {
    owner: ['src/management/duplicateId.ts', 'throwDuplicateId'],
    lookups: /skipDuplicates/g,
    in: {
      'src/management/channels/create.ts': 1,
      'src/management/customers/create.ts': 1,
      // The operator's, who has the database itself.
      'src/management/members/store.ts': 1,
      'src/management/sites/create.ts': 1,
      'src/features/moving/import/begin.ts': 1,
      'src/features/moving/import/finish.ts': 1,
      'src/features/moving/import/owners.ts': 1,
      'src/features/moving/import/store.ts': 2,
      // A new user gets an id of the service; the address of another one is refused in words of its own.
      'src/management/users/store.ts': 1,
      'src/features/signIn/providers/signInBy.ts': 1,
      // Providers are the operator's.
      'src/features/signIn/providers/add.ts': 1,
    },
  },
  // Any string: nothing is looked up by it.
  actor: { owner: ['src/rules/actors.ts', 'longActorKey'], lookups: /\bwhere: \{[^}]*\bowner\b/g, in: {} },
};

/** By what an argument names, the arguments: of paths, of query strings, of headers, and of the schema. */
const table: Readonly<Record<Thing, string>> = {
  site: 'header x-service-site',
  channel: `path :channel query ?confirm
    Mutation.bulkEntries(channel) Query.changes(channel) Subscription.changes(channel)
    Query.accessExplanation(channel) Query.channelAclPreview(channel) Query.rights(channel)
    Query.entry(channel) Query.entries(channel) Query.channel(id) Mutation.createEntry(channel)
    Mutation.updateEntry(channel) Mutation.deleteEntry(channel) Mutation.publishEntry(channel) Mutation.unpublishEntry(channel)
    Mutation.updateChannel(id) Mutation.deleteChannel(id)
    Mutation.updateChannel(confirm) Mutation.deleteChannel(confirm) FieldInput.channel`,
  entry: `path :entry
    Query.accessExplanation(id) Query.rights(id) query ?entry
    Query.entry(id) Mutation.updateEntry(id) Mutation.deleteEntry(id) Mutation.publishEntry(id) Mutation.unpublishEntry(id)
    Mutation.publishEntry(ifVersion) Mutation.unpublishEntry(ifVersion)
    EntryOperationInput.id EntryOperationInput.ifVersion
    Mutation.updateEntry(ifVersion) Mutation.deleteEntry(ifVersion) header if-match header if-none-match
     EntryInput.fields`,
  customer: `path :customer Query.customer(id) Query.sessions(customer) Mutation.updateCustomer(id) Mutation.createSession(customer)
    query ?as ActorInput.customer`,
  member: 'path :user Mutation.updateMember(user) Mutation.removeMember(user) ActorInput.member',
  role: `path :role Mutation.updateRole(id) Mutation.deleteRole(id) Mutation.deleteRole(confirm) Mutation.updateMember(roles) InvitationInput.roles`,
  invitation: 'path :invitation Mutation.revokeInvitation(id)',
  session: 'path :session header session-token header x-service-session-token Mutation.revokeSession(id)',
  webhook: `path :webhook path :delivery Query.webhookDeliveries(webhook) Mutation.updateWebhook(id) Mutation.deleteWebhook(id)
    Mutation.rotateWebhookSecret(id) Mutation.testWebhook(id) Mutation.redeliver(delivery)`,
  token: 'path :token header authorization Mutation.revokeToken(id)',
  place:
    'query ?cursor query ?after header last-event-id Query.webhookDeliveries(after) Query.auditLog(after) Subscription.changes(after) Query.changes(after) Query.entries(after) Query.customers(after) Query.members(after) Entry.references(after)',
  field: `query ?sort query ?include query ?only query ?where query ?<field>
    Entry.reference(field) Entry.references(field) Entry.fields(only) Entry.value(name) Query.entries(sort) Query.entries(where) EntryFilter.field
    ChannelInput.titleField ChannelPatch.titleField`,
  slug: 'EntryInput.slug',
  new: 'ChannelInput.id CustomerInput.id RoleInput.id',
  actor: 'EntryInput.owner AclRuleInput.actor',
  value: `query ?limit query ?types Query.changes(first) Query.changes(types) query ?at query ?create query ?read query ?update query ?delete query ?publishable
    Query.entry(as) Query.entry(at) Query.entries(as) Query.entries(at) Query.accessExplanation(as) Query.accessExplanation(at)
    Query.channelAclPreview(acl) Query.channelAclPreview(publishable)
    ActorInput.anonymous ActorInput.roles ActorInput.token ActorInput.useAcl
    query ?name query ?email query ?use_acl query ?q query ?page query ?per_page query ?query query ?operationName query ?variables query ?extensions
    Subscription.changes(types) header accept
    header prefer header content-type header content-length header accept-encoding header idempotency-key header x-request-id header host
    header x-forwarded-proto header x-forwarded-host header origin
    Query.entry(useAcl) Query.entries(useAcl) Query.entries(search) Query.entries(first) Query.entries(page) Entry.references(first)
    Query.members(first) Mutation.createRole(input) Mutation.updateRole(input)
    Mutation.inviteMember(input) InvitationInput.email InvitationInput.expiresAt RoleInput.name RoleInput.rights RolePatch.name RolePatch.rights
    Query.customers(first) Query.customers(name) Query.customers(email) Mutation.publishEntry(useAcl) Mutation.unpublishEntry(useAcl) Mutation.publishEntry(publication) PublicationInput.publishAt PublicationInput.entry
    EntryOperationInput.publication Mutation.createEntry(useAcl) Mutation.updateEntry(useAcl) Mutation.deleteEntry(useAcl)
    Mutation.createEntry(input) Mutation.updateEntry(input) Mutation.createChannel(input) Mutation.updateChannel(input)
    Mutation.createCustomer(input) Mutation.updateCustomer(input) Mutation.createToken(input)
    Mutation.createSession(ttlSeconds)
    Mutation.bulkEntries(operations) Mutation.bulkEntries(atomic) Mutation.bulkEntries(useAcl)
    EntryOperationInput.op EntryOperationInput.input
    EntryInput.status EntryInput.publishAt EntryInput.acl
    AclRuleInput.create AclRuleInput.read AclRuleInput.update AclRuleInput.delete
    EntryFilter.and EntryFilter.or EntryFilter.not EntryFilter.op EntryFilter.value
    ChannelInput.name ChannelInput.description ChannelInput.publishable ChannelInput.acl ChannelInput.language ChannelInput.typeName
    ChannelInput.layout ChannelPatch.layout ChannelInput.fields ChannelPatch.name ChannelPatch.description ChannelPatch.publishable ChannelPatch.acl
    ChannelPatch.language ChannelPatch.typeName ChannelPatch.fields
    ChannelAclInput.create ChannelAclInput.read ChannelAclInput.update ChannelAclInput.delete
    FieldInput.name FieldInput.label FieldInput.hint FieldInput.type FieldInput.required FieldInput.unique
    FieldInput.indexed FieldInput.default FieldInput.options FieldInput.min FieldInput.max FieldInput.pattern FieldInput.message FieldInput.read
    FieldInput.write
    CustomerInput.email CustomerInput.name CustomerInput.roles CustomerPatch.email CustomerPatch.name CustomerPatch.roles
    TokenInput.kind TokenInput.name TokenInput.expiresAt TokenInput.scopes
    query ?actor query ?type query ?subject query ?since query ?until Query.auditLog(first) Query.auditLog(actor)
    Query.auditLog(type) Query.auditLog(subject) Query.auditLog(since) Query.auditLog(until)
    Query.webhookDeliveries(first) Mutation.createWebhook(input) Mutation.updateWebhook(input)
    Mutation.rotateWebhookSecret(overlapSeconds)
    WebhookInput.url WebhookInput.types WebhookInput.channels WebhookInput.audience WebhookInput.enabled
    WebhookPatch.url WebhookPatch.types WebhookPatch.channels WebhookPatch.audience WebhookPatch.enabled`,
};

/** Each argument, and what it names. */
export const argumentTable: ReadonlyMap<string, Thing> = new Map(
  Object.entries(table).flatMap(([thing, text]) =>
    [...text.matchAll(/(?:(?:path|query|header) )?[^\s]+/g)].map(([name]) => [name, thing as Thing] as const),
  ),
);
