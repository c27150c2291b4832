// Converts the values of rows from and to JSON and cells of CSV, so that import reads what export writes.
import type { FieldDefinition } from '../../../../../src/fields/definition.ts';
import { fieldTypes, type FieldType } from '../../../../../src/fields/types.ts';
import { findUnsafeNumber, isUnsafeNumber } from '../../../../../src/inputs/json.ts';
import { reasonOf } from '../../terminal/refusal.ts';
import { repeatedMembers, repeatedProblem } from '../files/repeatedMembers.ts';

/** Whether the cells of a type hold JSON. */
function holdsJson(type: FieldType): boolean {
  return ['any', 'array', 'object'].includes(fieldTypes[type].json);
}

/** A cell that does not hold a value of its field. The message goes on after the name of the field. */
export class CellError extends Error {}

/** The type of a member's cells; undefined where they hold plain text. */
export function cellType(name: string, fields: ReadonlyMap<string, FieldDefinition>): FieldType | undefined {
  return name === '_acl' ? 'json' : fields.get(name)?.type;
}

/** The value of a cell that is not empty. @throws {CellError} */
export function parseCell(cell: string, type: FieldType | undefined): unknown {
  const json = type === undefined ? 'string' : fieldTypes[type].json;
  if (json === 'number') {
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) throw new CellError('must be a number');
    if (isUnsafeNumber(cell))
      throw new CellError('must be a number that JavaScript can hold, such as one within ±(2^53 - 1)');
    return Number(cell);
  }
  if (json === 'boolean') {
    if (!/^(true|false)$/i.test(cell)) throw new CellError('must be true or false');
    return cell.toLowerCase() === 'true';
  }
  if (type === undefined || !holdsJson(type)) return cell;
  const { value, problem } = tryParseJson(cell);
  if (problem !== undefined) throw new CellError(problem);
  return value;
}

/**
 * The text of a value in a cell.
 * @param guardFormulas whether a text gets an apostrophe if a spreadsheet would take it for a formula
 */
export function formatCell(value: unknown, type: FieldType | undefined, guardFormulas: boolean): string {
  if (value === undefined || value === null) return '';
  const isText = typeof value === 'string' && (type === undefined || !holdsJson(type));
  const text = isText ? value : JSON.stringify(value);
  return guardFormulas && isText && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

/** A cell with the quotes that it needs. */
export function quoteCell(text: string, separator: string): string {
  const needsQuotes = text.includes(separator) || /["\r\n]|^\s|\s$/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Parses JSON, or says why it can't be used. */
export function tryParseJson(json: string): { readonly value: unknown; readonly problem?: string } {
  const parsed = parseJsonText(json);
  if (parsed.problem !== undefined) return parsed;
  const [repeated] = repeatedMembers(json);
  return repeated === undefined ? parsed : { value: undefined, problem: repeatedProblem(repeated.name) };
}

/** The same, where members that an object has twice are looked for elsewhere. */
export function parseJsonText(json: string): { readonly value: unknown; readonly problem?: string } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { value, problem: `is not JSON: ${reasonOf(error)}` };
  }
  const unsafe = findUnsafeNumber(json);
  if (unsafe === undefined) return { value };
  return { value, problem: `holds ${unsafe}, which JavaScript can't hold: put it in quotes` };
}
