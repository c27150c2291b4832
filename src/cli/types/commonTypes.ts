// The part of the output of `entryway types` that is the same for every channel: the fixed members of entries, the values of
// fields, and the operators of filters.
import { members, type MemberName } from '../../entries/members.ts';
import type { ComparisonKind } from '../../fields/types.ts';
import { filterNames } from '../../inputs/filterNames.ts';
import { allStatuses } from '../../rules/publication.ts';
import { comparisonType, unionType } from './fieldTypes.ts';
import { operatorDeclarations } from './operatorTypes.ts';

const statusType = unionType(allStatuses);

/** What a fixed member is in an answer, and in a payload where callers can set it. */
const memberTypes: Readonly<Record<MemberName, { readonly shown: string; readonly sent?: string }>> = {
  id: { shown: 'string' },
  url: { shown: 'string' },
  shortId: { shown: 'string' },
  slug: { shown: 'string', sent: 'string | null' },
  channel: { shown: 'string' },
  createdAt: { shown: 'string' },
  updatedAt: { shown: 'string' },
  titleFieldValue: { shown: 'string | null' },
  status: { shown: statusType, sent: statusType },
  publishAt: { shown: 'string | null', sent: 'string | null' },
  acl: { shown: 'AccessList', sent: 'AccessList | null' },
  owner: { shown: 'string | null', sent: 'string | null' },
};

const notes: Partial<Record<MemberName, string>> = {
  acl: 'For master and user tokens, and for the owner of the entry.',
  owner: 'For master and user tokens, and for the owner of the entry.',
};

const valueTypes = `/** What a reference shows of the entry that it leads to. */
export interface Stub {
  id: string;
  channel: string;
  slug: string;
  title_field_value: string | null;
}

/** How a payload names an entry: by its id or slug, or by what was read of it. */
export type SentReference = string | { readonly id: string };

/** A GeoJSON point: longitude, latitude and, where it is known, altitude. */
export interface GeoPoint {
  type: "Point";
  coordinates: [number, number] | [number, number, number];
}

/** A file, of which the service stores the address. */
export interface FileValue {
  url: string;
  filename?: string;
  content_type?: string;
  size?: number;
}

/** Who may do what with an entry, by actor keys. */
export type AccessList = Record<string, { create?: boolean; read?: boolean; update?: boolean; delete?: boolean }>;
`;

/** The declarations. @param mayReadPrivate whether the caller may filter by `_owner` and `_acl` */
export function commonDeclarations(mayReadPrivate: boolean): string {
  const all = Object.entries(memberTypes) as [MemberName, (typeof memberTypes)[MemberName]][];
  const shown = all.map(([name, { shown: type }]) => {
    const note = notes[name];
    const line = `  ${members[name].rest}${members[name].readBy === 'readers' ? '' : '?'}: ${type};\n`;
    return note === undefined ? line : `  /** ${note} */\n${line}`;
  });
  const sent = all.flatMap(([name, { sent: type }]) =>
    type === undefined ? [] : [`  ${members[name].rest}?: ${type};\n`],
  );
  return [
    valueTypes,
    `/** The members that entries of every channel have. */\nexport interface FixedMembers {\n${shown.join('')}}\n`,
    `/** The fixed members of payloads. Only a master token sets those that begin with an underscore. */
export interface FixedInput {\n${sent.join('')}}\n`,
    operatorDeclarations(),
    `/** The comparisons of every channel. */\nexport interface FixedFilters {\n${fixedFilters(mayReadPrivate)}}\n`,
  ].join('\n');
}

function fixedFilters(mayReadPrivate: boolean): string {
  const names = new Set(filterNames({ fields: [] }, mayReadPrivate).map(({ name }) => name));
  return Object.entries(members)
    .filter(([, { rest }]) => names.has(rest))
    .map(([name, { rest, kind }]: [string, { rest: string; kind: ComparisonKind }]) => {
      const value = memberTypes[name as MemberName].shown.replace(' | null', '');
      return `  readonly ${rest}?: ${comparisonType(kind, value)};\n`;
    })
    .join('');
}
