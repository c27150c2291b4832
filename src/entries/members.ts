// The table of an entry's fixed members. The descriptions of answers and payloads, the inputs of GraphQL and the files
// of whole sites are derived from it. Code that is specific to a member is in memberSql.ts, row.ts, write.ts,
// src/inputs/payload.ts and src/serializers/entry.ts, and in the database functions that write entries: if one of them
// lacks a member, it does not compile or a test fails.
import type { ComparisonKind } from '../fields/shape.ts';
import type { Entry } from '../generated/prisma/client.ts';
import { maxActorNameLength } from '../rules/actors.ts';
import type { SetBy } from '../rules/callers.ts';
import { maxSlugLength, versionName } from '../rules/names.ts';

/** The columns of an entry that statements read. */
type EntryColumn = Exclude<keyof Entry, GeneratedColumn>;

/** Columns that exist for filters and sort keys; no statement returns them. */
type GeneratedColumn = 'titleKey' | 'titleRest' | 'readGrant' | 'readDeny';

/** Columns that are not members. Of these only `version` is shown, in GraphQL and in entity tags. */
type InternalColumn =
  'siteId' | 'channelUid' | 'version' | 'data' | 'kept' | 'size' | 'fieldsVersion' | 'title' | RecordColumn;
/** Columns for records of changes. */
type RecordColumn = 'sightVersion' | 'announced';

/** Members that are computed from other columns and from the channel. */
type ComputedMember = 'url' | 'channel' | 'titleFieldValue';

/** Members that have a column of their own. */
export type StoredMember = Exclude<EntryColumn, InternalColumn>;

interface Member {
  /** The name in REST, in filters, in sort keys and in files of import and export. */
  readonly rest: string;
  readonly kind: ComparisonKind;
  /**
   * The callers that may set it: every writer, master tokens, or also members with the right `access`. Values from others are
   * ignored, so that a client can send back an answer. Import and export transfer the settable members.
   */
  readonly setBy: 'nobody' | SetBy;
  /**
   * The callers that may read it: every reader of the entry, or only master tokens, user tokens and the entry's owner.
   */
  readonly readBy: 'readers' | 'privileged';
  readonly form: MemberForm;
  /** Maximum length of a settable text, in characters. */
  readonly maxLength?: number;
}

/** The form of a member's values, for the descriptions of answers and payloads. */
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
  acl: { rest: '_acl', kind: 'opaque', form: 'accessList', setBy: 'access', readBy: 'privileged' },
  owner: {
    rest: '_owner',
    kind: 'text',
    form: 'textOrNull',
    setBy: 'access',
    readBy: 'privileged',
    maxLength: maxActorNameLength,
  },
} as const satisfies Record<StoredMember | ComputedMember, Member>;

export type MemberName = keyof typeof members;

/** The name of a member in REST. */
export type RestName<Name extends MemberName = MemberName> = (typeof members)[Name]['rest'];

/** Members that callers can set. */
export type SettableMember = {
  [Name in MemberName]: (typeof members)[Name]['setBy'] extends 'nobody' ? never : Name;
}[MemberName];

/** The forms of the settable members. */
export type SettableForm = (typeof members)[SettableMember]['form'];

/** Members that only some readers of an entry may read. */
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

/** The REST names of the settable members, which import and export transfer. */
export const settableRestNames: readonly string[] = settableMembers.map((name) => members[name].rest);

/** The members of a new entry before its payload is applied. */
export const blankMembers = {
  slug: '',
  status: 'draft',
  publishAt: null,
  acl: {},
  owner: null,
} as const satisfies Record<SettableMember, unknown>;

/** The column of a settable member, and its name in the files of whole sites. */
export type ColumnName<Name extends SettableMember = SettableMember> = WithoutUnderscore<RestName<Name>>;
type WithoutUnderscore<Text extends string> = Text extends `_${infer Rest}` ? Rest : Text;

/** The column of a settable member. */
export function columnName<Name extends SettableMember>(name: Name): ColumnName<Name> {
  return members[name].rest.replace(/^_/, '') as ColumnName<Name>;
}

/** Maps the settable members to values. @param read returns the value of one */
export function mapSettable<Values extends Readonly<Record<SettableMember, unknown>>>(
  read: (name: SettableMember) => Values[SettableMember],
): Values {
  return Object.fromEntries(settableMembers.map((name) => [name, read(name)])) as Values;
}

/** Finds the member with a REST name, or null. */
export function findMember(restName: string): MemberName | null {
  return memberByRestName.get(restName) ?? null;
}

/** Whether a name is a fixed member's REST name, which no custom field can have. */
export function isFixedField(name: string): boolean {
  return memberByRestName.has(name) || name === versionName;
}

export function isTimeMember(name: MemberName): name is TimeMember {
  return members[name].kind === 'time';
}

function isSettable(name: MemberName): name is SettableMember {
  return members[name].setBy !== 'nobody';
}
