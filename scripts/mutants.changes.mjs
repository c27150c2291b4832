// The faults of the feed of changes: see mutants.mjs.

const feed = ['test/both/changes/feed'];
const userTokens = ['test/both/changes/userTokens'];
const cursor = ['test/both/changes/cursor'];
const sights = ['test/both/changes/sights'];
const publications = ['test/both/changes/publications'];
const moments = ['test/both/changes/momentsOfPublication'];
const deletions = ['test/both/changes/deletedChannels'];
/** Where the functions were defined last that create entries, and give places. */
const writing = 'prisma/migrations/20261125010000_kept_plans/migration.sql';
/** Where those were that update and delete entries, and record what happened without a write, and the deletion of channels. */
const past = 'prisma/migrations/20261126000000_past_of_entries/migration.sql';
/** The functions that drop records, and rebuild. */
const dropping = 'prisma/migrations/20261124003300_records_and_rebuilds/migration.sql';

/** @type {import('./mutants.mjs').Mutant[]} */
export const changeMutants = [
  {
    name: 'changes: places are not given in the order of writing',
    file: writing,
    find: 'ORDER BY c."position" LIMIT 10000',
    put: 'ORDER BY c."position" DESC LIMIT 10000',
    tests: cursor,
    ci: true,
  },
  {
    name: 'changes: what goes out of sight is not told',
    file: 'src/entries/feed/readChanges.ts',
    find: 'Prisma.sql`r."sawBefore" OR r."seesAfter"`',
    put: 'Prisma.sql`r."seesAfter"`',
    tests: feed,
    ci: true,
  },
  {
    name: 'changes: what was in sight before its publication was recorded is not told to go',
    file: past,
    find: '"v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", \'{}\'), nullif("v_old"."read_deny", \'{}\'));',
    put: '"v_channel"."sight", FALSE, "v_old"."owner", nullif("v_old"."read_grant", \'{}\'), nullif("v_old"."read_deny", \'{}\'));',
    tests: publications,
  },
  {
    name: 'changes: a publication that an update follows at once is not told',
    file: past,
    find: `        RETURN 'stale';
    END IF;
    IF ("v_channel"."publishable" AND "v_was_open" AND NOT "v_old"."announced")`,
    put: `        RETURN 'stale';
    END IF;
    IF FALSE`,
    tests: moments,
    ci: true,
  },
  {
    name: 'changes: a publication that a deletion follows at once is not told',
    file: past,
    find: `"publish_at" <= greatest("p_at", clock_timestamp())));
    IF ("v_channel"."publishable" AND "v_was_open" AND NOT "v_old"."announced")`,
    put: `"publish_at" <= greatest("p_at", clock_timestamp())));
    IF FALSE`,
    tests: moments,
  },
  {
    name: 'changes: a publication that a change of the channel follows at once is taken for one under the new settings',
    file: past,
    find: 'WHILE "v_until"["v_published_in"] < "p_entry"."publish_at" LOOP',
    put: 'WHILE "v_until"["v_published_in"] IS NOT NULL LOOP',
    tests: moments,
  },
  {
    name: 'changes: an entry counts as seen under a scope that ended before its publication',
    file: past,
    find: 'IF "until"[i] < "opened_at" THEN',
    put: 'IF FALSE THEN',
    tests: moments,
  },
  {
    name: 'changes: the public is not told of a deleted channel',
    file: 'src/features/changes/serializer.ts',
    find: "type === 'channel.deleted' && sawBefore === true ? ['channel.removed'] : []",
    put: '[]',
    tests: deletions,
    ci: true,
  },
  {
    name: 'changes: all are told of a deleted channel',
    file: 'src/entries/sql/predicate.ts',
    find: 'return Prisma.sql`(${isGranted(actorKeys(subject))} OR EXISTS (',
    put: 'return Prisma.sql`(TRUE OR ${isGranted(actorKeys(subject))} OR EXISTS (',
    tests: deletions,
  },
  {
    name: 'changes: who is denied all entries of a deleted channel is told of it',
    file: 'src/entries/sql/predicate.ts',
    find: ' AND NOT shown.to_whom && ${denyingKeys(subject, scope)}::text[])',
    put: ')',
    tests: deletions,
  },
  {
    name: 'changes: drafts count as seen where a channel is deleted',
    file: past,
    find: '& CASE WHEN "opened_at" <= "now" THEN 255 ELSE 85 END',
    put: '& 255',
    tests: deletions,
  },
  {
    name: 'changes: owners of entries are not told of a deleted channel',
    file: past,
    find: 'THEN ARRAY[\'id:\' || r."owner"] ELSE \'{}\' END) AS "key"',
    put: "THEN '{}' ELSE '{}' END) AS \"key\"",
    tests: deletions,
  },
  {
    name: 'changes: drafts are in sight',
    file: writing,
    find: '"v_channel"."sight", "v_open",\n        "p_owner", nullif("v_entry"."read_grant"',
    put: '"v_channel"."sight", TRUE,\n        "p_owner", nullif("v_entry"."read_grant"',
    tests: feed,
  },
  {
    name: 'changes: an entry has had every scope that its channel had',
    file: past,
    find: 'cardinality("v_channel"."earlier_sights") - ("v_channel"."sight_version" - "p_entry"."sight_version") + 1);',
    put: '1);',
    tests: sights,
  },
  {
    name: 'changes: who was told that an entry goes is not told that it comes back',
    file: 'src/features/changes/serializer.ts',
    find: '(sawBefore !== true || isUnsure)',
    put: 'sawBefore !== true',
    tests: sights,
  },
  {
    name: 'changes: a scope that changes once more while it is recorded leaves entries out',
    file: 'src/entries/feed/sightChanges.ts',
    find: 'if (progress !== null && version !== progress.version) return { version, after: null };',
    put: '',
    tests: ['test/postgresql/changes.feed'],
  },
  {
    name: 'changes: a channel that is being changed holds up all publications',
    file: 'src/entries/feed/sightChanges.ts',
    find: 'AND e.channel_uid::text <> ALL(${[...busy]}::text[])',
    put: '',
    tests: ['test/postgresql/changes.feed'],
  },
  {
    name: 'changes: what is due is recorded where nothing is published',
    file: past,
    find: 'IF "p_sight" & 170 = 0 THEN',
    put: 'IF FALSE THEN',
    tests: publications,
  },
  {
    name: 'changes: cursors tell that nothing happened',
    file: 'src/features/changes/list.ts',
    find: 'makeChangeCursor(secret, end, !isToldAll(follower))',
    put: 'makeChangeCursor(secret, end, false)',
    tests: feed,
    ci: true,
  },
  {
    name: 'changes: cursors of user tokens tell that nothing happened',
    file: 'src/features/changes/list.ts',
    find: 'makeChangeCursor(secret, end, !isToldAll(follower))',
    put: "makeChangeCursor(secret, end, follower.audience === 'public')",
    tests: userTokens,
  },
  {
    name: 'changes: user tokens are told of what they may not read',
    file: 'src/rules/callers.ts',
    find: "isToldAll({ subject }: Viewer): boolean {\n  return subject.is === 'unchecked';",
    put: "isToldAll({ audience }: Viewer): boolean {\n  return audience === 'management';",
    tests: userTokens,
    ci: true,
  },
  {
    name: 'changes: use_acl narrows what a master token is told',
    file: 'src/features/changes/list.ts',
    find: 'makeFollower(context.caller, context.now)',
    put: 'context.viewer',
    tests: userTokens,
  },
  {
    name: 'changes: user tokens are not told of drafts',
    file: 'src/entries/sql/predicate.ts',
    find: "audience === 'management' ? anySight(index) : openSight(index)",
    put: "audience === 'management' ? openSight(index) : openSight(index)",
    tests: userTokens,
  },
  {
    name: 'changes: user tokens are told that an entry is gone, and not that it was deleted',
    file: 'src/features/changes/serializer.ts',
    find: "isManagement && type === 'entry.deleted' ?",
    put: 'false ?',
    tests: userTokens,
  },
  {
    name: 'changes: any 16 bytes are a cursor',
    file: 'src/features/changes/changeCursor.ts',
    find: 'if (block.subarray(zerosAt).some((byte) => byte !== 0)) throwNoCursor();',
    put: '',
    tests: feed,
  },
  {
    name: 'changes: what was dropped is passed over',
    file: dropping,
    find: 'SET "dropped" = greatest(f."dropped", "v_last")',
    put: 'SET "dropped" = f."dropped"',
    tests: feed,
  },
];
