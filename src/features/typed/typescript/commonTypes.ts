// The part of the output of `entryway types` that is equal for every channel: the fixed members of entries, the values
// of fields, and the operators of filters.
import { members, settableMembers, type MemberForm, type SettableForm } from '../../../entries/members.ts';
import { comparedMembers } from '../../../inputs/lists/fieldNames.ts';
import { allStatuses } from '../../../rules/publication.ts';
import { comparisonType, objectDeclarations, unionType } from './fieldTypes.ts';
import { operatorDeclarations } from './operatorTypes.ts';

const statusType = unionType(allStatuses);

/** The types of fixed members in answers. */
const shownTypes: Readonly<Record<MemberForm, string>> = {
  uuid: 'string',
  url: 'string',
  // Null only in the answer to an update of an entry that is hidden from its caller, which lacks other members, too.
  handleOrNull: 'string',
  text: 'string',
  textOrNull: 'string | null',
  time: 'string',
  timeOrNull: 'string | null',
  status: statusType,
  accessList: 'AccessList',
};

/** The types of fixed members in payloads. */
const sentTypes: Readonly<Record<SettableForm, string>> = {
  text: 'string | null',
  textOrNull: 'string | null',
  timeOrNull: 'string | null',
  status: statusType,
  accessList: 'AccessList | null',
};

const privateNote = '  /** For master and user tokens, and for the owner of the entry. */\n';

const valueTypes = `/** What a reference shows of the entry that it leads to. */
export interface Stub {
  id: string;
  channel: string;
  slug: string;
  title_field_value: string | null;
}

/** How a payload names an entry: by its id or slug, or by what was read of it. */
export type SentReference = string | { readonly id: string };

${objectDeclarations()}
/** Who may do what with an entry, by actor keys. */
export type AccessList = Record<string, { create?: boolean; read?: boolean; update?: boolean; delete?: boolean }>;
`;

/** The declarations. @param mayReadPrivate whether the caller may filter by `_owner` and `_acl` */
export function commonDeclarations(mayReadPrivate: boolean): string {
  const answerMembers = Object.values(members).map(({ rest, form, readBy }) =>
    readBy === 'readers' ? `  ${rest}: ${shownTypes[form]};\n` : `${privateNote}  ${rest}?: ${shownTypes[form]};\n`,
  );
  const payloadMembers = settableMembers.map((name) => `  ${members[name].rest}?: ${sentTypes[members[name].form]};\n`);
  return [
    valueTypes,
    `/** The members that entries of every channel have. */\nexport interface FixedMembers {\n${answerMembers.join('')}}\n`,
    `/** The fixed members of payloads. Only a master token sets those that begin with an underscore. */
export interface FixedInput {\n${payloadMembers.join('')}}\n`,
    operatorDeclarations(),
    `/** The comparisons of every channel. */\nexport interface FixedFilters {\n${fixedFilters(mayReadPrivate)}}\n`,
  ].join('\n');
}

function fixedFilters(mayReadPrivate: boolean): string {
  return comparedMembers(mayReadPrivate)
    .map(({ name, rest, kind }) => {
      const value = shownTypes[members[name].form].replace(' | null', '');
      return `  readonly ${rest}?: ${comparisonType(kind, value)};\n`;
    })
    .join('');
}
