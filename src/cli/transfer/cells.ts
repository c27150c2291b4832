// Values as cells of CSV, and back: by the type of the field. Import reads what export writes.
import type { FieldDefinition } from '../../fields/definition.ts';
import { fieldTypes, fieldTypesWhere } from '../../fields/types.ts';
import { unfaithfulNumber } from './numbers.ts';

type Type = FieldDefinition['type'];

/** Types whose cells hold JSON: what is no scalar, and what can be anything. */
const written = new Set(fieldTypesWhere(({ json }) => json === 'any' || json === 'array' || json === 'object'));
const numeric = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A cell that can't be what its field holds. */
export class CellError extends Error {}

/** The value of a cell that is not empty. @throws {CellError} where the field can't have it */
export function valueOf(cell: string, type: Type | undefined): unknown {
  if (type === undefined) return cell;
  if (fieldTypes[type].json === 'number') return numberOf(cell);
  if (fieldTypes[type].json === 'boolean') {
    if (!/^(true|false)$/i.test(cell)) throw new CellError('must be true or false');
    return cell.toLowerCase() === 'true';
  }
  return written.has(type) ? jsonOf(cell, type) : cell;
}

function numberOf(cell: string): number {
  const value = Number(cell);
  if (!numeric.test(cell) || !Number.isFinite(value)) throw new CellError('must be a number');
  if (/^-?\d+$/.test(cell) && !Number.isSafeInteger(value))
    throw new CellError('must lie between -(2^53 - 1) and 2^53 - 1');
  return value;
}

/** @throws {CellError} where a cell holds no JSON */
export function jsonOf(cell: string, type: Type): unknown {
  try {
    const value = JSON.parse(cell) as unknown;
    const number = unfaithfulNumber(cell);
    if (number === null) return value;
    throw new CellError(`holds a number that can't be kept as it is: ${number}`);
  } catch (error) {
    if (error instanceof CellError) throw error;
    const isList = fieldTypes[type].json === 'array';
    throw new CellError(isList ? 'must be a JSON list such as ["one","two"]' : 'must be JSON');
  }
}

/** The cell of a value, with the quotes that it needs. */
export function cellOf(value: unknown, type: Type | undefined): string {
  if (value === undefined || value === null) return '';
  const isText = typeof value === 'string' && (type === undefined || !written.has(type));
  const text = isText ? value : JSON.stringify(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
