// Infers a channel that fits the rows of files, in one pass that keeps nothing but the types that fit each name.
import { isFixedField } from '../../../../../src/entries/members.ts';
import type { FieldDefinition } from '../../../../../src/fields/definition.ts';
import { UsageError, Refusal } from '../../terminal/refusal.ts';
import { ColumnTypes, emptyField } from './columnTypes.ts';
import { notUtf8 } from '../files/encoding.ts';
import { nameProblem, renameOption, suggestName, toFieldName } from './fieldSpelling.ts';
import type { RejectedRow, SourceRow } from '../files/rows.ts';
import type { ChannelPlan } from '../../service/remoteChannel.ts';

/** How many fields a channel can declare. */
const maxInferredFields = 200;

/** The fields that have titles, the best first. */
const titleNames = ['title', 'name'];

/**
 * A channel that takes these rows. Its fields are in the order of the columns of a file of CSV, else as the rows first have them, and
 * are never `required` or `unique`. It is publishable if rows have a publication
 * state or time, since drafts would be public otherwise.
 * @throws {UsageError} where names can't be those of fields
 * @throws {Refusal} where there are too many names, no row can be read, or one of them is in another encoding
 */
export async function inferChannel(id: string, rows: AsyncIterable<SourceRow | RejectedRow>): Promise<ChannelPlan> {
  const columns = new Map<string, ColumnTypes>();
  const order = new Set<string>();
  let [publishable, count] = [false, 0];
  let unread: RejectedRow | undefined;
  for await (const row of rows) {
    if ('reason' in row) {
      unread ??= row;
      // The types would be those of the other rows, and not fit once the file is read in its encoding.
      if (row.reason === notUtf8) refuseRows(id, row);
      continue;
    }
    count += 1;
    const { _status: status, _publish_at: time } = row.members;
    publishable ||= (status ?? 'published') !== 'published' || (time ?? null) !== null;
    for (const name of row.columns ?? Object.keys(row.members)) order.add(name);
    for (const [name, value] of Object.entries(row.members)) {
      if (isFixedField(name)) continue;
      const column = columns.get(name) ?? new ColumnTypes();
      columns.set(name, column);
      if (row.input.format === 'csv') column.addCell(String(value));
      else column.addValue(value);
    }
    if (columns.size > maxInferredFields) {
      throw new Refusal(
        `The rows have more than ${maxInferredFields} members, the most that a channel can declare. Make a channel without ` +
          'fields, which takes any members, and import into that.',
      );
    }
  }
  if (count === 0) refuseRows(id, unread);
  const ordered = inOrder(columns, order);
  return { id, titleField: findTitle(ordered, count), publishable, fields: nameFields(ordered, count) };
}

/** The columns that have values, in the order of the files: a value that only a later row has moves none to the end. */
function inOrder(columns: ReadonlyMap<string, ColumnTypes>, order: ReadonlySet<string>): Map<string, ColumnTypes> {
  const ordered = new Map<string, ColumnTypes>();
  for (const name of order) {
    const types = columns.get(name);
    if (types !== undefined) ordered.set(name, types);
  }
  return ordered;
}

/** @throws {Refusal} saying why no channel is made of the rows */
function refuseRows(id: string, row: RejectedRow | undefined): never {
  const outcome = `so that the channel "${id}" is not made`;
  if (row === undefined) throw new Refusal(`There are no rows, ${outcome}.`);
  const place = `${row.input.path}, ${row.input.format === 'json' ? 'index' : 'line'} ${row.place}`;
  throw new Refusal(`${place} ${row.reason}, ${outcome}.`);
}

/** The name of the field that has the titles: columns may spell it in another way, and an object is no title. */
function findTitle(columns: ReadonlyMap<string, ColumnTypes>, rows: number): string | null {
  const plain = [...columns].filter(([, types]) => types.canBeTitles(rows)).map(([column]) => toFieldName(column));
  return titleNames.find((name) => plain.includes(name)) ?? null;
}

/** The fields with all members of a definition, as the service would return them. */
export function expandFields(fields: ChannelPlan['fields']): FieldDefinition[] {
  return fields.map((field) => ({ ...emptyField, ...field }));
}

/** The fields of some names, each with the narrowest type. @throws {UsageError} naming all names that can't be those of fields */
function nameFields(columns: ReadonlyMap<string, ColumnTypes>, rows: number): ChannelPlan['fields'] {
  const columnOf = new Map<string, string>();
  const problems = new Map<string, string>();
  for (const column of columns.keys()) {
    const name = toFieldName(column);
    const problem = name === '' ? 'holds no letter' : nameProblem(name);
    const other = columnOf.get(name);
    if (problem !== undefined) problems.set(column, `"${column}" can't be a field: its name ${problem}`);
    else if (other !== undefined) problems.set(column, `"${other}" and "${column}" would both be the field "${name}"`);
    else columnOf.set(name, column);
  }
  if (problems.size > 0)
    throw new UsageError(`${[...problems.values()].join('; ')}. Give ${suggestAll(problems, columnOf)}.`);
  return [...columns].map(([column, types]) => ({ name: toFieldName(column), type: types.narrowest(rows) }));
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
