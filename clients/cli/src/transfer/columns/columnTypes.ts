// Which types of fields fit the values of a column: those that take every value, and give it back as it was written. Pure.
import { plainField, type FieldDefinition } from '../../../../../src/fields/definition.ts';
import { fieldTypesWhere, type FieldType } from '../../../../../src/fields/types.ts';
import { valueSchema } from '../../../../../src/fields/values.ts';
import { assertStorable } from '../../../../../src/inputs/json.ts';
import { CellError, formatCell, parseCell } from './values.ts';

/** The length of the longest text that is inferred to be a string. */
const maxStringLength = 255;

export const emptyField: FieldDefinition = { name: '', type: 'json', ...plainField };

const scalars = fieldTypesWhere(({ isInferred }) => isInferred);
/** The types to choose from, the narrowest first; the last one takes every value: of JSON, and of cells. */
const jsonTypes: readonly FieldType[] = [...scalars, 'string', 'text', 'strings', 'json'];
const cellTypes: readonly FieldType[] = [...scalars, 'strings', 'json', 'string', 'text'];

const schemas = new Map(
  jsonTypes.map((type) => [
    type,
    valueSchema({ ...emptyField, type, max: type === 'string' ? maxStringLength : null }),
  ]),
);

/** What a request may hold (docs/contract.md §5), less what it holds around a value. */
const valueLimits = { depth: 90, members: 5_000, values: 40_000 };

/** Collects the values of a column. */
export class ColumnTypes {
  /** The types that fit all values so far. */
  #types: readonly FieldType[] | null = null;
  #hasCells = false;
  #cells = 0;
  #hasObjects = false;

  addValue(value: unknown): void {
    if (value === null) return;
    this.#hasObjects ||= typeof value === 'object';
    this.#narrow(jsonTypes, (type) => keepsValue(value, type));
  }

  addCell(cell: string): void {
    this.#hasCells = true;
    this.#cells += 1;
    this.#narrow(cellTypes, (type) => keepsCell(cell, type));
  }

  /**
   * The narrowest type.
   * @param rows how many rows there were: a list without a value is shown as an empty one, so that an empty cell is none of `strings`
   */
  narrowest(rows: number): FieldType {
    const hasEmptyCells = this.#hasCells && this.#cells < rows;
    const fitting = this.#types?.find((type) => type !== 'strings' || !hasEmptyCells);
    return fitting ?? (this.#hasCells ? 'text' : 'json');
  }

  /** Whether the values can be titles: objects and lists can't. */
  canBeTitles(rows: number): boolean {
    return !this.#hasObjects && !(this.#hasCells && ['strings', 'json'].includes(this.narrowest(rows)));
  }

  #narrow(all: readonly FieldType[], fits: (type: FieldType) => boolean): void {
    this.#types = (this.#types ?? all).filter((type) => all.includes(type) && fits(type));
  }
}

/** Whether a field gives a value of JSON back as it is. */
function keepsValue(value: unknown, type: FieldType): boolean {
  const parsed = schemas.get(type)?.safeParse(value);
  if (parsed?.success !== true) return false;
  if (type === 'datetime') return isExactTime(String(value));
  return JSON.stringify(parsed.data) === JSON.stringify(value);
}

/** Whether the cell of a field is the same again after an export. */
function keepsCell(cell: string, type: FieldType): boolean {
  let value: unknown;
  try {
    value = parseCell(cell, type);
  } catch (error) {
    if (error instanceof CellError) return false;
    throw error;
  }
  if (type === 'json' && (typeof value !== 'object' || value === null)) return false;
  if (!keepsValue(value, type)) return false;
  if (type === 'strings' || type === 'json') return isStorable(value) && JSON.stringify(inStoredOrder(value)) === cell;
  return type === 'datetime' || formatCell(value, type, false) === cell;
}

/** Whether a time loses nothing in UTC with milliseconds, in which it is stored. */
function isExactTime(text: string): boolean {
  return /^[^T]+T\d\d:\d\d(:\d\d(\.\d{1,3}0*)?)?(Z|\+00:?00)$/.test(text);
}

function isStorable(value: unknown): boolean {
  try {
    assertStorable({ value }, valueLimits);
    return true;
  } catch {
    return false;
  }
}

/** A value with the members of objects in the order in which jsonb stores them: by the bytes of their names, shorter ones first. */
function inStoredOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inStoredOrder);
  const members = Object.entries(value).map(([name, member]) => [Buffer.from(name), name, member] as const);
  members.sort(([a], [b]) => a.length - b.length || Buffer.compare(a, b));
  return Object.fromEntries(members.map(([, name, member]) => [name, inStoredOrder(member)]));
}
