// Writes the output of `entryway types`: TypeScript types of channels, made from their definitions. Pure: equal
// channels give equal text.
import { definitionsJson } from '../../../fields/definitionsJson.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import type { ShownField } from '../../../serializers/channel.ts';
import { takesChannel } from '../../../fields/types.ts';
import { sortableNames } from '../../../inputs/lists/sort.ts';
import { commonDeclarations } from './commonTypes.ts';
import { comparedType, sentType, shownType, unionType } from './fieldTypes.ts';

/** A channel as REST shows it. `acl` is there if the caller may read settings. */
export interface DescribedChannel {
  readonly id: string;
  readonly name: string;
  readonly fields: readonly ShownField[];
  readonly acl?: unknown;
}

const heading = `// Made by \`entryway types\` of the channels of a site. Make it again when their fields have changed; do not edit it.
`;

/** Writes the types of channels, sorted by their ids. */
export function writeChannelTypes(described: readonly DescribedChannel[]): string {
  const channels = [...described].sort((one, other) => (one.id < other.id ? -1 : 1));
  const names = nameTypes(channels);
  const mayReadPrivate = channels.some(({ acl }) => acl !== undefined);
  const declarations = channels.map((channel) => declareChannel(channel, names.get(channel.id) ?? '', mayReadPrivate));
  return [heading, commonDeclarations(mayReadPrivate), ...declarations, declareMap(channels, names)].join('\n');
}

/**
 * The prefix of each channel's types: its id in PascalCase. Ids that differ only in punctuation (`a-b`, `a_b`) get a
 * number, in the order of the ids.
 */
function nameTypes(channels: readonly DescribedChannel[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const name = (id: string): string => {
    const plain = id.replace(/(?:^|[_-]+)([a-z0-9]?)/g, (_all, first: string) => first.toUpperCase());
    const start = /^[A-Z]/.test(plain) ? plain : `_${plain}`;
    let free = start;
    for (let number = 2; taken.has(free); number += 1) free = `${start}_${number}`;
    taken.add(free);
    return free;
  };
  return new Map(channels.map(({ id }) => [id, name(id)]));
}

function declareChannel(channel: DescribedChannel, name: string, mayReadPrivate: boolean): string {
  const { id } = channel;
  const isFree = channel.fields.length === 0;
  const fields = channel.fields.filter(({ readable = true }) => readable);
  const sent = channel.fields.filter(({ writable = true }) => writable);
  const isNeeded = (field: FieldDefinition): boolean => field.required && field.default === null;
  const of = `${JSON.stringify(id)}${comment(channel.name) === id ? '' : ` (${comment(channel.name)})`}`;
  const declare = (suffix: string, description: string, base: string, lines: readonly string[]): string =>
    `/** ${description} */\nexport interface ${name}${suffix} extends ${base} {\n${lines.join('')}}\n`;
  const free = isFree ? ['  [name: string]: unknown;\n'] : [];
  return [
    declare('Entry', `An entry of the channel ${of}.`, 'FixedMembers', [
      `  channel: ${JSON.stringify(id)};\n`,
      ...fields.map((field) => `${noteField(field)}  ${field.name}: ${shownType(field)};\n`),
      ...free,
    ]),
    declare('Input', 'The payload of a new entry.', 'FixedInput', [
      ...sent.map((field) => `  ${field.name}${isNeeded(field) ? '' : '?'}: ${sentType(field)};\n`),
      ...free,
    ]),
    declare('Patch', 'The payload of an update: members that are absent stay.', 'FixedInput', [
      ...sent.map((field) => `  ${field.name}?: ${sentType(field)};\n`),
      ...free,
    ]),
    declare('Filters', 'What lists can be filtered by.', 'FixedFilters', [
      ...fields.map((field) => `  readonly ${field.name}?: ${comparedType(field)};\n`),
      ...free,
    ]),
    `/** What lists can be sorted by. */\nexport type ${name}Sort = ${isFree ? 'string' : sortType(fields, mayReadPrivate)};\n`,
  ].join('\n');
}

function sortType(fields: readonly FieldDefinition[], mayReadPrivate: boolean): string {
  return unionType(sortableNames({ fields: definitionsJson(fields) }, mayReadPrivate));
}

/** The type that maps all channels, which createClient takes. */
function declareMap(channels: readonly DescribedChannel[], names: ReadonlyMap<string, string>): string {
  const channelIds = new Set(channels.map(({ id }) => id));
  const rows = channels.map(({ id, fields }) => {
    const name = names.get(id) ?? '';
    const typeNames = ['Entry', 'Input', 'Patch', 'Filters', 'Sort'].map(
      (suffix) => `    ${suffix.toLowerCase()}: ${name}${suffix};\n`,
    );
    const references = fields
      .filter(({ type, readable = true }) => readable && takesChannel(type))
      .map((field) => {
        // Null for a channel that is not among these.
        const target = field.channel !== null && channelIds.has(field.channel) ? JSON.stringify(field.channel) : 'null';
        return ` ${field.name}: ${target};`;
      });
    const last = `    references: {${references.join('')}${references.length > 0 ? ' ' : ''}};\n`;
    return `  ${JSON.stringify(id)}: {\n${typeNames.join('')}${last}  };\n`;
  });
  return `/** The channels by their ids: the type parameter of createClient. */\nexport interface Channels {\n${rows.join('')}}\n`;
}

/** The label, the hint and the message of a field, as a comment. */
function noteField({ label, hint, message, required }: FieldDefinition): string {
  const notes = [label, hint, message]
    .flatMap((each) => (each === null ? [] : [comment(each)]))
    .filter((each) => each !== '');
  const all = [...notes, ...(required ? ['Required in payloads.'] : [])];
  return all.length === 0 ? '' : `  /** ${all.join(': ')} */\n`;
}

/** A text in a comment: in one line, and without the comment's end. */
function comment(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll('*/', '*\\/')
    .trim();
}
