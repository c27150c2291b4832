// The names of columns as names of fields: which ones a field can have, and what to call a column otherwise. Pure.
import { fieldsInput } from '../../../../../src/management/channels/fieldInput.ts';
import { toAscii } from '../../../../../src/rules/ascii.ts';

const maxSpelledLength = 63;

/** The name of a field for a column: the same where that is valid, else in ASCII and lower case, with `_` between words. */
export function toFieldName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(name)) return name;
  return toAscii(name)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, maxSpelledLength);
}

/** Why no field can have a name; undefined if one can. */
export function nameProblem(name: string): string | undefined {
  return fieldsInput.safeParse([{ name, type: 'json' }]).error?.issues[0]?.message;
}

/** A name that a field can have, for a column. @param isTaken whether another column has a name already */
export function suggestName(column: string, isTaken: (name: string) => boolean): string {
  const plain = toFieldName(column) || 'field';
  const base = nameProblem(plain) === undefined ? plain : `source_${plain}`;
  let name = base.slice(0, maxSpelledLength);
  for (let count = 2; isTaken(name); count += 1) name = `${base.slice(0, maxSpelledLength - 5)}_${count}`;
  return name;
}

/** The option that renames a column, as it is typed in a shell. */
export function renameOption(column: string, name: string): string {
  return `--rename ${shellWord(`${column}=${name}`)}`;
}

/** The option that leaves columns out, as it is typed in a shell. */
export function ignoreOption(columns: readonly string[]): string {
  return `--ignore ${shellWord(columns.join(','))}`;
}

function shellWord(text: string): string {
  return /^[\w.,:=@%+/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
