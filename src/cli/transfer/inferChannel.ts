// Infers a channel that fits the rows of files, in one pass that keeps nothing but the types that fit each name.
import { isFixedField } from '../../entries/members.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { FieldType } from '../../fields/types.ts';
import { valueSchema } from '../../fields/values.ts';
import { UsageError, Refusal } from '../run.ts';
import { nameProblem, renameOption, suggestName, toFieldName } from './fieldSpelling.ts';
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
 * @throws {UsageError} where names can't be those of fields
 * @throws {Refusal} where there are too many names
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

/** The fields of some names, each with the narrowest type. @throws {UsageError} naming all names that can't be those of fields */
function nameFields(fitting: ReadonlyMap<string, readonly FieldType[] | null>): ChannelPlan['fields'] {
  const columnOf = new Map<string, string>();
  const problems = new Map<string, string>();
  for (const column of fitting.keys()) {
    const name = toFieldName(column);
    const problem = name === '' ? 'holds no letter' : nameProblem(name);
    const other = columnOf.get(name);
    if (problem !== undefined) problems.set(column, `"${column}" can't be a field: its name ${problem}`);
    else if (other !== undefined) problems.set(column, `"${other}" and "${column}" would both be the field "${name}"`);
    else columnOf.set(name, column);
  }
  if (problems.size > 0)
    throw new UsageError(`${[...problems.values()].join('; ')}. Give ${suggestAll(problems, columnOf)}.`);
  return [...fitting].map(([column, types]) => ({ name: toFieldName(column), type: types?.[0] ?? 'json' }));
}

/** The options that give each column a name of its own. */
function suggestAll(problems: ReadonlyMap<string, string>, columnOf: ReadonlyMap<string, string>): string {
  const taken = new Set(columnOf.keys());
  const options = [...problems.keys()].map((column) => {
    const name = suggestName(column, (each) => taken.has(each));
    taken.add(name);
    return renameOption(column, name);
  });
  return options.join(' ');
}
