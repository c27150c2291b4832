// Infers a channel that fits the rows of files, in one pass that keeps nothing but the types that fit each name.
import { isFixedField } from '../../entries/members.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { FieldType } from '../../fields/types.ts';
import { valueSchema } from '../../fields/values.ts';
import { fieldsInput } from '../../inputs/field.ts';
import { Refusal } from '../run.ts';
import type { RejectedRow, SourceRow } from './readRows.ts';
import type { ChannelPlan } from './remoteChannel.ts';
import { isUnsafeNumber } from '../../inputs/json.ts';

/** How many fields a channel can declare, and the length of the longest text that is inferred to be a string. */
const maxInferredFields = 200;
const maxStringLength = 255;

const emptyField: FieldDefinition = {
  ...{ name: '', type: 'json', label: null, hint: null, required: false, unique: false, indexed: false, default: null },
  ...{ options: null, channel: null, min: null, max: null, pattern: null },
};

/** The types to choose from, the narrowest first; the last one takes every value. */
const inferableScalars: readonly FieldType[] = [
  'integer',
  'float',
  'boolean',
  'date',
  'datetime',
  'email',
  'url',
  'string',
  'text',
];
const inferableTypes: readonly FieldType[] = [...inferableScalars, 'strings', 'json'];
const inferenceSchemas = new Map(
  inferableTypes.map((type) => [
    type,
    valueSchema({ ...emptyField, type, max: type === 'string' ? maxStringLength : null }),
  ]),
);

/**
 * A channel that takes these rows. Its fields are never `required` or `unique`. It is publishable if rows have a publication
 * state or time, since drafts would be public otherwise.
 * @throws {Refusal} where a name can't be a field's, or there are too many names
 */
export async function inferChannel(id: string, rows: AsyncIterable<SourceRow | RejectedRow>): Promise<ChannelPlan> {
  /** By name: the types that fit all of its values; null where it had no value yet. */
  const fitting = new Map<string, readonly FieldType[] | null>();
  let publishable = false;
  for await (const row of rows) {
    if ('reason' in row) continue;
    const { _status: status, _publish_at: time } = row.members;
    publishable ||= (status ?? 'published') !== 'published' || (time ?? null) !== null;
    for (const [name, given] of Object.entries(row.members)) {
      if (isFixedField(name)) continue;
      const before = fitting.get(name) ?? null;
      const value = row.input.format === 'csv' ? guessCellValue(String(given)) : (given ?? null);
      const fits = (type: FieldType): boolean => inferenceSchemas.get(type)?.safeParse(value).success === true;
      fitting.set(name, value === null ? before : (before ?? inferableTypes).filter(fits));
    }
    if (fitting.size > maxInferredFields) {
      throw new Refusal(
        `The rows have more than ${maxInferredFields} members, the most that a channel can declare. Make a channel without ` +
          'fields, which takes any members, and import into that.',
      );
    }
  }
  const titleField = ['title', 'name'].find((name) => fitting.has(name)) ?? null;
  return { id, titleField, publishable, fields: nameFields(fitting) };
}

/** The fields with all members of a definition, as the service would return them. */
export function expandFields(fields: ChannelPlan['fields']): FieldDefinition[] {
  return fields.map((field) => ({ ...emptyField, ...field }));
}

/** The JSON value that a cell of CSV looks like. */
function guessCellValue(cell: string): unknown {
  if (/^(true|false)$/i.test(cell)) return true;
  // Leading zeros, as in postcodes, would be lost in a number.
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) return isUnsafeNumber(cell) ? cell : Number(cell);
  try {
    return /^[[{]/.test(cell) ? (JSON.parse(cell) as unknown) : cell;
  } catch {
    return cell;
  }
}

/** The fields of some names, each with the narrowest type. @throws {Refusal} where a name can't be a field's */
function nameFields(fitting: ReadonlyMap<string, readonly FieldType[] | null>): ChannelPlan['fields'] {
  const givenNames = new Map<string, string>();
  return [...fitting].map(([given, candidates]) => {
    const field = { name: toFieldName(given), type: candidates?.[0] ?? 'json' };
    const problem = field.name === '' ? 'holds no letter' : fieldsInput.safeParse([field]).error?.issues[0]?.message;
    if (problem !== undefined)
      throw new Refusal(`"${given}" can't be a field: its name ${problem}. Rename it in the input.`);
    const other = givenNames.get(field.name);
    if (other !== undefined)
      throw new Refusal(`"${other}" and "${given}" would both be the field "${field.name}": rename one.`);
    givenNames.set(field.name, given);
    return field;
  });
}

/** The name of a field for a column: the same where that is valid, else in lower case with `_` between words. */
export function toFieldName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(name)) return name;
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 63);
}
