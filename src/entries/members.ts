// The table of the fixed members of an entry. Whatever follows from this table is derived below or where it is used: the descriptions
// of answers and payloads, the inputs of GraphQL, the files of whole sites. What differs from member to member stands in memberSql.ts,
// row.ts, write.ts, src/inputs/payload.ts and src/serializers/entry.ts, and in the functions of the database that write entries: where a
// member is left out of one of them, it does not compile or a test fails.
import type { ComparisonKind } from '../fields/shape.ts';
import type { Entry } from '../generated/prisma/client.ts';
import { maxActorNameLength } from '../rules/actors.ts';
import { maxSlugLength, versionName } from '../rules/names.ts';

/** The columns of an entry that statements read. */
type EntryColumn = Exclude<keyof Entry, GeneratedColumn>;

/** Columns that exist for filters and sort keys; no statement returns them. */
type GeneratedColumn = 'titleKey' | 'titleRest' | 'readGrant' | 'readDeny';

/** Columns that are not members. Of these only `version` is shown, in GraphQL and in entity tags. */
type InternalColumn =
  'siteId' | 'channelUid' | 'version' | 'data' | 'kept' | 'size' | 'fieldsVersion' | 'title' | RecordColumn;
/** What records of changes need. */
type RecordColumn = 'sightVersion' | 'announced';

/** Members that are made from other columns and from the channel. */
type ComputedMember = 'url' | 'channel' | 'titleFieldValue';

/** Members that have a column of their own. */
export type StoredMember = Exclude<EntryColumn, InternalColumn>;

interface Member {
  /** The name in REST, in filters, in sort keys and in files of import and export. */
  readonly rest: string;
  readonly kind: ComparisonKind;
  /**
   * Who may set it. Values from other callers are ignored, so that a client can send back what it read. Members that callers
   * can set are also the ones that import and export transfer.
   */
  readonly setBy: 'nobody' | 'writers' | 'masters';
  /** Who may read it: every reader of the entry, or only master tokens, user tokens and the entry's owner. */
  readonly readBy: 'readers' | 'privileged';
  readonly form: MemberForm;
  /** How many characters a text that callers set may have. */
  readonly maxLength?: number;
}

/** What the values of a member are, for the descriptions of answers and payloads. */
export type MemberForm =
  'uuid' | 'url' | 'handleOrNull' | 'text' | 'textOrNull' | 'time' | 'timeOrNull' | 'status' | 'accessList';

/**
 * By the name in GraphQL, which is also the property of EntryRow if the member is stored; in the order of REST's
 * responses.
 */
export const members = {
  id: { rest: 'id', kind: 'text', form: 'uuid', setBy: 'nobody', readBy: 'readers' },
  url: { rest: 'url', kind: 'text', form: 'url', setBy: 'nobody', readBy: 'readers' },
  shortId: { rest: 'short_id', kind: 'text', form: 'text', setBy: 'nobody', readBy: 'readers' },
  slug: { rest: 'slug', kind: 'text', form: 'text', setBy: 'writers', readBy: 'readers', maxLength: maxSlugLength },
  channel: { rest: 'channel', kind: 'text', form: 'handleOrNull', setBy: 'nobody', readBy: 'readers' },
  createdAt: { rest: 'created_at', kind: 'time', form: 'time', setBy: 'nobody', readBy: 'readers' },
  updatedAt: { rest: 'updated_at', kind: 'time', form: 'time', setBy: 'nobody', readBy: 'readers' },
  titleFieldValue: { rest: 'title_field_value', kind: 'text', form: 'textOrNull', setBy: 'nobody', readBy: 'readers' },
  status: { rest: '_status', kind: 'text', form: 'status', setBy: 'masters', readBy: 'readers' },
  publishAt: { rest: '_publish_at', kind: 'time', form: 'timeOrNull', setBy: 'masters', readBy: 'readers' },
  acl: { rest: '_acl', kind: 'opaque', form: 'accessList', setBy: 'masters', readBy: 'privileged' },
  owner: {
    rest: '_owner',
    kind: 'text',
    form: 'textOrNull',
    setBy: 'masters',
    readBy: 'privileged',
    maxLength: maxActorNameLength,
  },
} as const satisfies Record<StoredMember | ComputedMember, Member>;

export type MemberName = keyof typeof members;

/** The name of a member in REST. */
export type RestName<Name extends MemberName = MemberName> = (typeof members)[Name]['rest'];

/** Members that callers set. */
export type SettableMember = {
  [Name in MemberName]: (typeof members)[Name]['setBy'] extends 'nobody' ? never : Name;
}[MemberName];

/** What the members that callers set are. */
export type SettableForm = (typeof members)[SettableMember]['form'];

/** Members that not every reader of an entry may read. */
export type PrivateMember = {
  [Name in MemberName]: (typeof members)[Name]['readBy'] extends 'privileged' ? Name : never;
}[MemberName];

/** Members that are moments in time. */
export type TimeMember = {
  [Name in MemberName]: (typeof members)[Name]['kind'] extends 'time' ? Name : never;
}[MemberName];

export const memberNames = Object.keys(members) as readonly MemberName[];
const memberByRestName: ReadonlyMap<string, MemberName> = new Map(
  memberNames.map((name) => [members[name].rest, name]),
);

export const settableMembers: readonly SettableMember[] = memberNames.filter(isSettable);

/** The REST names of the members that callers set: those that import and export transfer. */
export const settableRestNames: readonly string[] = settableMembers.map((name) => members[name].rest);

/** What a new entry has of them before its payload is applied. */
export const blankMembers = {
  slug: '',
  status: 'draft',
  publishAt: null,
  acl: {},
  owner: null,
} as const satisfies Record<SettableMember, unknown>;

/** The name of the column of a member that callers set, and its name in the files of whole sites. */
export type ColumnName<Name extends SettableMember = SettableMember> = WithoutUnderscore<RestName<Name>>;
type WithoutUnderscore<Text extends string> = Text extends `_${infer Rest}` ? Rest : Text;

/** The column of a member that callers set. */
export function columnName<Name extends SettableMember>(name: Name): ColumnName<Name> {
  return members[name].rest.replace(/^_/, '') as ColumnName<Name>;
}

/** The values of the members that callers set. @param read gives the value of one */
export function mapSettable<Values extends Readonly<Record<SettableMember, unknown>>>(
  read: (name: SettableMember) => Values[SettableMember],
): Values {
  return Object.fromEntries(settableMembers.map((name) => [name, read(name)])) as Values;
}

/** The member with a REST name, or null. */
export function findMember(restName: string): MemberName | null {
  return memberByRestName.get(restName) ?? null;
}

/** Whether a name is a fixed member's REST name, so that no custom field can have it. */
export function isFixedField(name: string): boolean {
  return memberByRestName.has(name) || name === versionName;
}

export function isTimeMember(name: MemberName): name is TimeMember {
  return members[name].kind === 'time';
}

function isSettable(name: MemberName): name is SettableMember {
  return members[name].setBy !== 'nobody';
}
