// What becomes of the columns of the rows to import: which are renamed, left out or kept. The members that the service sets
// by itself are dropped only where that was asked for, or where a row is an entry as the service shows it.
import { isFixedField, settableRestNames } from '../../../../../src/entries/members.ts';
import { isHandle, isShortId, uuidShape } from '../../../../../src/rules/names.ts';
import { UsageError } from '../../terminal/refusal.ts';
import { ignoreOption, renameOption, suggestName } from './fieldSpelling.ts';
import type { RejectedRow, SourceRow } from '../files/rows.ts';

/** The options as they were given. */
export interface ColumnOptions {
  readonly rename?: readonly string[];
  readonly ignore?: readonly string[];
  readonly keep?: boolean;
}

/** The options, checked. */
export interface ColumnChoice {
  /** By the column's name: the member that it becomes. */
  readonly renames: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<string>;
  /** Whether new entries keep the ids and times of the rows. */
  readonly keepsIdentity: boolean;
}

/** The members that `--keep` keeps. */
const identityNames = ['id', 'created_at', 'updated_at'];

/** Whether only the service sets the member with a name. */
function isReadOnlyColumn(name: string): boolean {
  return name === '_version' || (isFixedField(name) && !settableRestNames.includes(name));
}

/** @throws {UsageError} where the options contradict each other */
export function parseColumnOptions({ rename = [], ignore = [], keep = false }: ColumnOptions): ColumnChoice {
  const ignored = new Set(ignore.flatMap((list) => list.split(',').map((name) => name.trim())).filter(Boolean));
  const renames = new Map<string, string>();
  for (const text of rename) {
    const at = text.lastIndexOf('=');
    const [column, name] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || name === '')
      throw new UsageError(`--rename takes <column>=<name>, such as url=source_url, not "${text}".`);
    if (renames.has(column)) throw new UsageError(`--rename names the column "${column}" twice.`);
    if (ignored.has(column))
      throw new UsageError(`The column "${column}" is given to --rename and to --ignore: choose one.`);
    if ([...renames.values()].includes(name)) throw new UsageError(`--rename gives two columns the name "${name}".`);
    if (isReadOnlyColumn(name) && !(keep && identityNames.includes(name))) {
      throw new UsageError(`--rename can't make "${column}" the member "${name}", which only the service sets.`);
    }
    renames.set(column, name);
  }
  if (keep && (ignored.has('id') || (renames.has('id') && ![...renames.values()].includes('id')))) {
    throw new UsageError('--keep needs the column id: times are kept only with an id.');
  }
  return { renames, ignored, keepsIdentity: keep };
}

/** What becomes of the columns of a row. */
export interface DecidedColumns {
  readonly members: Readonly<Record<string, unknown>>;
  /** The id that the new entry keeps. */
  readonly keptId: string | undefined;
  /** Whether the row is an entry as the service shows it, and lost what only the service sets. */
  readonly wasEntry: boolean;
  /** The columns that have to be decided first. */
  readonly undecided: readonly string[];
  /** Why the row can't be imported; undefined if it can. */
  readonly problem: string | undefined;
}

/** Applies a choice to the columns of a row. */
export function decideColumns(columns: SourceRow['members'], choice: ColumnChoice): DecidedColumns {
  const { renames, ignored, keepsIdentity } = choice;
  const members = new Map<string, unknown>();
  const undecided: string[] = [];
  let [problem, wasEntry]: [string | undefined, boolean] = [undefined, false];
  const isEntry = isEntryOfService(columns);
  for (const [column, value] of Object.entries(columns)) {
    if (ignored.has(column)) continue;
    const name = renames.get(column) ?? column;
    const isKept = keepsIdentity && identityNames.includes(name);
    if (!isReadOnlyColumn(name) || isKept) {
      if (members.has(name)) problem ??= `has two columns that are to be the member ${name}`;
      members.set(name, value);
    } else if (isEntry) wasEntry = true;
    else if (value !== null) undecided.push(column);
  }
  const id = members.get('id');
  members.delete('id');
  if (undecided.length > 0)
    problem ??= `has ${undecided.join(', ')}, which only the service sets: ${optionsFor(undecided)}`;
  if (keepsIdentity && (typeof id !== 'string' || !uuidShape.test(id))) problem ??= 'has no id that is a UUID, to keep';
  const keptId = keepsIdentity && typeof id === 'string' ? id : undefined;
  return { members: Object.fromEntries(members), keptId, wasEntry, undecided, problem };
}

/** The options by which a caller decides about columns that are members that only the service sets. */
export function optionsFor(undecided: readonly string[]): string {
  const renames = undecided.map((column) =>
    renameOption(
      column,
      suggestName(column, () => false),
    ),
  );
  const keep = undecided.some((column) => identityNames.includes(column));
  const choices = [renames.join(' '), ignoreOption(undecided), ...(keep ? ['--keep (keeps ids and times)'] : [])];
  return `give ${choices.join(', or ')}`;
}

/** Whether a row is a whole entry as the service shows it, which has each of these members in its exact form. */
function isEntryOfService(row: SourceRow['members']): boolean {
  const { id, url, channel, short_id: shortId, created_at: createdAt, updated_at: updatedAt } = row;
  if (typeof id !== 'string' || typeof url !== 'string' || typeof channel !== 'string') return false;
  const isTime = (value: unknown): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value));
  return (
    uuidShape.test(id) &&
    isHandle(channel) &&
    url.endsWith(`/channels/${channel}/entries/${id}`) &&
    isShortId(String(shortId)) &&
    isTime(createdAt) &&
    isTime(updatedAt)
  );
}

/** Rows with their columns as a choice has them. A row that would lose something, or can't be imported, is rejected. */
export async function* applyChoice(
  rows: AsyncIterable<SourceRow | RejectedRow>,
  choice: ColumnChoice,
): AsyncGenerator<SourceRow | RejectedRow> {
  let isFirst = true;
  for await (const row of rows) {
    if ('reason' in row) {
      yield row;
      continue;
    }
    const { input, place } = row;
    const { members, keptId, undecided, problem } = decideColumns(row.members, choice);
    // Standard input is read once: its first row shows what is undecided before anything is sent.
    if (isFirst && input.path === '-' && undecided.length > 0) throw new UsageError(`The first row ${problem ?? ''}.`);
    isFirst = false;
    const columns = row.columns?.map((column) => choice.renames.get(column) ?? column);
    const more = { ...(columns !== undefined && { columns }), ...(keptId !== undefined && { keptId }) };
    if (problem === undefined) yield { input, place, members, given: row.members, ...more };
    else yield { input, place, reason: problem, row: row.members };
  }
}
