// Faults in the rules of access and publication, and in the filter of SQL that applies them.

const matrix = ['test/pure/rules', 'test/both/contract/visibility'];
const writes = ['test/both/rest/access.write', 'test/both/rest/access.answers'];

/** @type {import('./index.d.mts').Mutant[]} */
export const ruleMutants = [
  // Rules
  {
    name: 'rules: drop the deny rule',
    in: 'decideOnEntry',
    find: "if (deny) return { allowed: false, decidedBy: 'deny', key: deny.key, scope: null, considered };",
    put: '',
    tests: matrix,
  },
  {
    name: 'rules: deny before grant',
    in: 'decideOnEntry',
    find: 'considered.find(({ says }) => says)',
    put: 'considered.every(({ says }) => says) ? considered[0] : undefined',
    tests: matrix,
  },
  {
    name: 'rules: a deny for * binds customers in every scope',
    in: 'denyingKeys',
    find: "subject.is === 'anonymous' || scope === 'public' ? keys : keys.filter((key) => key !== '*')",
    put: 'keys',
    tests: matrix,
  },
  {
    name: 'rules: forget *',
    in: 'actorKeys',
    find: '...actorWords',
    put: "'users'",
    tests: matrix,
  },
  {
    name: 'rules: roles share the namespace of ids',
    in: 'actorKeys',
    find: '`${kind}:${name}`',
    put: 'longActorKey(name)',
    tests: matrix,
    ci: true,
  },
  {
    name: 'rules: the owner of nothing owns what has no owner',
    in: 'isOwner',
    find: 'customer !== null && customer.id !== null && owner === customer.id',
    put: 'owner === (customer?.id ?? null)',
    tests: ['test/pure/rules', 'test/both/rest', 'test/once/rest', 'test/both/graphql', 'test/once/graphql'],
  },
  {
    name: 'rules: a private channel lets anonymous visitors write',
    in: 'channelAdmits',
    find: "case 'shared': case 'private': return subject.is === 'customer';",
    put: "case 'private': return true; case 'shared': return subject.is === 'customer';",
    tests: ['test/pure/rules', ...writes],
  },
  {
    name: 'rules: a grant opens update in a channel of none',
    in: 'decideWrite',
    find: 'byChannel.allowed ? decideOnEntry(subject, action, acl[action], entry) : byChannel',
    put: 'byChannel && decideOnEntry(subject, action, acl[action], entry)',
    tests: ['test/pure/rules', ...writes],
  },
  {
    name: 'rules: user tokens bypass access control',
    in: 'mayReadUnchecked',
    find: "kind === 'master'",
    put: "kind !== 'public'",
    tests: ['test/pure/rules', 'test/both/rest/access.read', 'test/once/rest/callers.tokens'],
  },
  {
    name: 'rules: a public write may publish',
    in: 'publicationAfterWrite',
    find: "kind !== 'master'",
    put: "kind === 'user'",
    tests: ['test/pure/rules', 'test/both/rest/publication'],
  },
  {
    name: 'rules: scheduled entries are visible before their time',
    in: 'explainPublication',
    find: 'publishAt <= now',
    put: 'now !== null',
    tests: matrix,
  },
  // SQL filter
  {
    name: 'SQL: deny is forgotten',
    in: 'predicate.ts:allowed',
    find: 'return Prisma.sql`(${granted} OR (${byScope} AND NOT ${isDeniedTo(denying)}))`;',
    put: 'void [isDeniedTo, denying]; return Prisma.sql`(${granted} OR ${byScope})`;',
    tests: ['test/both/contract/visibility'],
    ci: true,
  },
  {
    name: 'write: the answer to a blind update shows the channel',
    in: 'updateEntry',
    find: 'channel: null',
    put: 'channel',
    tests: ['test/once/security/oracles.channels'],
    ci: true,
  },
  {
    name: 'SQL: a write reads entries that are hidden from it',
    in: 'findForWrite',
    text: 'WHERE ${entriesForWrite(channel, viewer, action)} AND',
    put: 'WHERE ${entriesForWrite(channel, viewer, action)} IS NOT NULL AND ${channelEntries(channel)} AND',
    tests: ['test/postgresql/plans.refused'],
  },
  {
    name: 'SQL: a bulk locks entries that it may not write',
    in: 'lockForWriting',
    text: '(${isNamed(keys)} AND ${writable(channel, viewer, action)})',
    put: '(${isNamed(keys)} AND (${writable(channel, viewer, action)}) IS NOT NULL)',
    tests: ['test/postgresql/plans.refused'],
  },
  {
    name: 'SQL: what an entry denies for a write is not looked at',
    in: 'writable',
    find: 'says(keys, false)',
    put: 'says(keys, true)',
    tests: ['test/both/contract/visibility'],
  },
  {
    name: 'SQL: a draft with a time counts as published',
    in: 'published',
    text: "e.status <> 'draft' AND CASE WHEN",
    put: "CASE WHEN e.status = 'draft' AND e.publish_at IS NULL THEN FALSE WHEN",
    tests: ['test/both/contract/visibility', 'test/both/rest/publication'],
  },
  {
    name: 'SQL: private means any customer',
    in: 'scopeCondition',
    text: 'e.owner = ${subject.id}',
    put: 'TRUE',
    tests: ['test/both/contract/visibility'],
  },
  {
    name: 'SQL: an entry is found in any channel of the site',
    in: 'channelEntries',
    text: 'e.site_id = ${channel.siteId} AND e.channel_uid = ${channel.uid}::uuid',
    put: 'e.site_id = ${channel.siteId}',
    tests: ['test/both/rest/entries.fetch', 'test/both/rest/entries.list'],
  },
];
