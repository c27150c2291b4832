// Faults in reading, writing and presenting entries.

const writes = ['test/both/rest/access.write', 'test/both/rest/access.answers'];

/** @type {import('./index.d.mts').Mutant[]} */
export const entryMutants = [
  // Reads
  {
    name: 'perform: any caller may ask for any operation',
    in: 'performParsed',
    find: 'if (!callers.includes(given.caller.kind)) refuseCaller(callers);',
    put: 'void refuseCaller;',
    tests: ['test/once/doors/doors.graphql', 'test/once/doors/doors.managed'],
    ci: true,
  },
  {
    name: 'perform: arguments are not checked',
    in: 'perform.ts:parse',
    find: 'if (!isStorable) assertStorable(args, limits.json);',
    put: 'void [isStorable, assertStorable];',
    tests: ['test/once/graphql/text', 'test/once/rest/limits'],
  },
  {
    name: 'perform: a stale decision is a refusal',
    in: 'rowOrStale',
    find: 'return stale;',
    put: 'throw duplicateError([written]);',
    tests: ['test/postgresql/writes', 'test/both/hostile/concurrency'],
  },
  {
    name: 'one door: GraphQL fetches past publication',
    in: 'fetch.ts:loadFrom',
    find: 'context.viewer, key',
    put: "{ ...context.viewer, audience: 'management' }, key",
    tests: ['test/once/doors/arguments.hidden'],
  },
  {
    name: 'one door: use_acl of the URL is lost over REST',
    in: 'performParsed',
    find: 'given.useAcl || sight.useAcl',
    put: 'sight.useAcl',
    tests: ['test/both/rest/access.read'],
  },
  {
    name: 'loader: a cursor of another list is taken',
    in: 'readCursor',
    find: "if (fingerprint !== shortDigest(list)) fail('bad_request', 'The cursor belongs to another list or order.');",
    put: '',
    tests: ['test/once/hostile/lists.cursors'],
  },
  // Writes
  {
    name: 'write: hidden entries answer 403',
    in: 'entriesForWrite',
    text: 'OR (${shownTo(viewer, channel, isGranted, valuesOf(viewer))}))',
    put: 'OR (${shownTo(viewer, channel, isGranted, valuesOf(viewer))}) IS NOT NULL)',
    tests: writes,
    ci: true,
  },
  {
    name: 'write: an update shows its writer the whole entry',
    in: 'updateEntry',
    find: 'mayRead ? null : sent',
    put: 'mayRead ? null : null',
    tests: ['test/both/graphql/entries.test', 'test/both/rest/access.answers'],
  },
  {
    name: 'write: everybody sets the owner and the access list',
    in: 'settableGroups',
    find: "kind === 'master'",
    put: "kind !== 'operator'",
    tests: ['test/both/rest', 'test/once/rest', 'test/both/graphql', 'test/once/graphql'],
  },
  {
    name: 'write: the precondition is not looked at',
    in: 'authorizeWrite',
    find: '!allowsVersion(preconditions, before.version)',
    put: 'preconditions.versions?.length === -1',
    tests: ['test/both/rest/conditional'],
  },
  {
    name: 'write: the version decided on is not the one written over',
    sql: 'entryway_update_entry',
    text: 'AND e."channel_uid" = "p_channel_uid" AND e."version" = "p_version";',
    put: 'AND e."channel_uid" = "p_channel_uid" AND "p_version" > 0;',
    tests: ['test/postgresql/writes', 'test/both/rest/conditional', 'test/both/rest/entries.update'],
  },
  {
    name: "write: the channel's rules are not held until it is done",
    sql: 'entryway_hold_channel',
    text: 'AND c."version" = "p_version" FOR SHARE;',
    put: ';',
    tests: ['test/postgresql/writes'],
  },
  {
    name: 'write: creates whose outcome nobody knows are sent again',
    in: 'nullIfEachMayTry',
    find: 'isBlocked(error) || (leavesConnection(error) && !isUnavailable(error))',
    put: 'error !== null',
    tests: ['test/pure/unit/batcher'],
  },
  {
    name: 'write: creates that come at the same time are not joined',
    in: 'shareClient',
    find: 'creates === null',
    put: 'true',
    tests: ['test/both/rest/entries.create.together'],
  },
  {
    name: 'write: the records of creates that are joined do not know who was denied',
    sql: 'entryway_create_entries',
    text: 'e."announced", e."owner", nullif(e."read_grant", \'{}\'), nullif(e."read_deny", \'{}\')',
    put: 'e."announced", e."owner", nullif(e."read_grant", \'{}\'), NULL',
    tests: ['test/both/rest/entries.create.together'],
  },
  {
    name: 'write: a create that waits for a lock holds up those that it is joined with',
    sql: 'entryway_join_creates',
    text: ' SET "lock_timeout" TO \'100ms\'',
    put: '',
    tests: ['test/postgresql/writes'],
  },
  {
    name: 'channel: hidden entries are exposed without a confirmation',
    in: 'applyPatch',
    find: 'const mayExpose = !(before.publishable && changes.publishable === false) || input.confirm === before.id',
    put: 'const mayExpose = true || input.confirm === before.id',
    tests: ['test/both/graphql/channels.publishable'],
  },
  // Serializers
  {
    name: 'serializer: _acl and _owner leak',
    in: 'presentEntry',
    find: 'reader.viewer.mayReadPrivateMembers || isOwner(reader.caller.customer, row)',
    put: 'reader.viewer.mayReadPrivateMembers || isOwner(reader.caller.customer, row) || true',
    tests: ['test/both/rest/access.read', 'test/both/rest/entries.fetch'],
    ci: true,
  },
  {
    name: "serializer: a channel's access list leaks",
    in: 'presentChannel',
    find: 'acl: seesAll ? channelRules(channel).acl : null',
    put: 'acl: channelRules(channel).acl',
    tests: ['test/both/graphql/channels'],
  },
];
