// Converts the values of rows from and to JSON and cells of CSV, so that import reads what export writes.
import type { FieldDefinition } from '../../fields/definition.ts';
import { fieldTypesWhere, type FieldType } from '../../fields/types.ts';
import { findUnsafeNumber, isUnsafeNumber } from '../../inputs/json.ts';
import { reasonOf } from '../run.ts';

/** Types whose cells hold JSON. */
const jsonTypes = new Set(fieldTypesWhere(({ json }) => json === 'any' || json === 'array' || json === 'object'));

/** A cell that does not hold a value of its field. The message goes on after the name of the field. */
export class CellError extends Error {}

/** The type of a member's cells; undefined where they hold plain text. */
export function cellType(name: string, fields: ReadonlyMap<string, FieldDefinition>): FieldType | undefined {
  return name === '_acl' ? 'json' : fields.get(name)?.type;
}

/** The value of a cell that is not empty. @throws {CellError} */
export function parseCell(cell: string, type: FieldType | undefined): unknown {
  if (type === 'integer' || type === 'float') {
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) throw new CellError('must be a number');
    if (isUnsafeNumber(cell))
      throw new CellError('must be a number that JavaScript can hold, such as one within ±(2^53 - 1)');
    return Number(cell);
  }
  if (type === 'boolean') {
    if (!/^(true|false)$/i.test(cell)) throw new CellError('must be true or false');
    return cell.toLowerCase() === 'true';
  }
  if (type === undefined || !jsonTypes.has(type)) return cell;
  const { value, problem } = tryParseJson(cell);
  if (problem !== undefined) throw new CellError(problem);
  return value;
}

/**
 * The cell of a value, with the quotes that it needs.
 * @param guardFormulas whether a text gets an apostrophe if a spreadsheet would take it for a formula
 */
export function formatCell(value: unknown, type: FieldType | undefined, guardFormulas: boolean): string {
  if (value === undefined || value === null) return '';
  const isText = typeof value === 'string' && (type === undefined || !jsonTypes.has(type));
  const given = isText ? value : JSON.stringify(value);
  const text = guardFormulas && isText && /^[=+\-@\t\r\n]/.test(given) ? `'${given}` : given;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Parses JSON, or says why it can't be used. */
export function tryParseJson(json: string): { readonly value: unknown; readonly problem?: string } {
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
