// Looks through all rows before the first one is sent, for columns that would be lost or that no field can take.
import { isFixedField } from '../../../../../src/entries/members.ts';
import type { FieldDefinition } from '../../../../../src/fields/definition.ts';
import { nearestName } from '../../../../../src/base/nearestName.ts';
import { UsageError, Refusal } from '../../terminal/refusal.ts';
import { decideColumns, optionsFor, type ColumnChoice } from './columns.ts';
import { ignoreOption, nameProblem, renameOption, toFieldName } from './fieldSpelling.ts';
import { formatCount } from '../../terminal/progress.ts';
import type { RejectedRow, SourceRow } from '../files/rows.ts';

export interface ColumnCheck {
  readonly rows: AsyncIterable<SourceRow | RejectedRow>;
  readonly choice: ColumnChoice;
  /** The fields that the channel declares; none: it takes any name, or will get fields that fit. */
  readonly fields: readonly FieldDefinition[];
  /** Whether names are changed into those of fields that are spelled alike. */
  readonly respells: boolean;
  /** Aborted when the command is interrupted. */
  readonly stopping: AbortSignal;
}

/** How many misspelled columns a message names. */
const maxMisfits = 20;

/**
 * Checks the columns of all rows.
 * @returns lines to show: what is left out on purpose, and options that concern no column
 * @throws {UsageError} where columns are undecided, or no field can have their names
 */
export async function checkColumns(check: ColumnCheck): Promise<string[]> {
  const { rows, choice, stopping } = check;
  /** By column: where it was found first. */
  const undecided = new Map<string, string>();
  const misfits = new Set<string>();
  const unused = new Set(choice.renames.keys());
  const accepts = acceptedNames(check);
  let entries = 0;
  for await (const row of rows) {
    if (stopping.aborted) throw new Refusal('Interrupted.');
    if ('reason' in row) continue;
    const decided = decideColumns(row.members, choice);
    const place = row.input.format === 'json' ? `index ${row.place}` : `line ${row.place}`;
    for (const column of decided.undecided) undecided.set(column, undecided.get(column) ?? place);
    if (decided.wasEntry) entries += 1;
    for (const column of unused) if (Object.hasOwn(row.members, column)) unused.delete(column);
    for (const name of Object.keys(decided.members)) {
      if (misfits.size < maxMisfits && !accepts(name)) misfits.add(name);
    }
  }
  const problems = [...explainUndecided(undecided), ...explainMisfits([...misfits], check)];
  if (problems.length > 0) throw new UsageError(`Nothing was imported. ${problems.join(' ')}`);
  return [
    ...(entries === 0 ? [] : [describeEntries(entries, choice)]),
    ...[...unused].map((column) => `No row has the column "${column}", which --rename names.`),
  ];
}

/** Whether a member's name may be sent: the service says what is wrong with a name that a field could have. */
function acceptedNames({ fields, respells }: ColumnCheck): (name: string) => boolean {
  const declared = new Set(fields.map(({ name }) => name));
  const known = new Map<string, boolean>();
  const isAccepted = (name: string): boolean =>
    declared.has(name) || isFixedField(name) || (respells && declared.has(toFieldName(name))) || !nameProblem(name);
  return (name) => {
    if (declared.size === 0) return true;
    const accepted = known.get(name) ?? isAccepted(name);
    known.set(name, accepted);
    return accepted;
  };
}

function explainUndecided(undecided: ReadonlyMap<string, string>): string[] {
  if (undecided.size === 0) return [];
  const found = [...undecided].map(([column, place]) => `${column} (${place})`).join(', ');
  return [
    `Only the service sets these members, and the columns would be lost: ${found}; ${optionsFor([...undecided.keys()])}.`,
  ];
}

function explainMisfits(misfits: readonly string[], { fields }: ColumnCheck): string[] {
  if (misfits.length === 0) return [];
  const declared = fields.map(({ name }) => name);
  const options = misfits.map((column) => {
    const name = toFieldName(column);
    const field = declared.includes(name) ? name : nearestName(name, declared);
    return field === null ? ignoreOption([column]) : renameOption(column, field);
  });
  const names = misfits.map((name) => `"${name}"`).join(', ');
  return [`No field can have these names: ${names}; give ${options.join(' ')}.`];
}

function describeEntries(count: number, { keepsIdentity }: ColumnChoice): string {
  const rows = count === 1 ? '1 row is an entry' : `${formatCount(count)} rows are entries`;
  const outcome = keepsIdentity ? 'ids and times are kept' : 'new ids and times are given, unless --keep keeps them';
  return `${rows} as the service shows them: ${outcome}, and url, short_id and the like are left out.`;
}
