// Rows made ready to be sent: named and typed as the channel's fields are, and without what only the service may set.
import { isFixedField, settableRestNames } from '../../entries/members.ts';
import { ServiceError, type FieldError } from '../../errors.ts';
import type { DeclaredField } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { takesChannel } from '../../fields/types.ts';
import { valueSchema } from '../../fields/values.ts';
import { parseChange } from '../../inputs/entry.ts';
import { assertStorable } from '../../inputs/json.ts';
import { parsePayload } from '../../inputs/payload.ts';
import { CellError, jsonOf, valueOf } from './cells.ts';
import { fieldName } from './names.ts';
import { mostBytes } from './pieces.ts';
import type { Place, ReadRow, Rejection, Row } from './rows.ts';
import { Seen } from './seen.ts';

/** A row that can be sent. */
export interface Ready extends Place {
  readonly members: Readonly<Record<string, unknown>>;
  /** The members as JSON. */
  readonly json: string;
  /** The value of the field by which an existing entry is found; without such a field: null. */
  readonly value: string | number | boolean | null;
}

export interface Preparation {
  readonly fields: readonly FieldDefinition[];
  /** The field by which existing entries are found. */
  readonly upsert: string | undefined;
  /** Whether names that no field can have are made into ones that can, as for the fields that were inferred. */
  readonly rename: boolean;
  /** Whether values are held against the fields here, since nothing is to be sent. */
  readonly strict: boolean;
}

/** What a request may hold, less the levels around a row. */
const limits = { depth: 96, values: 40_000 };

export class Preparer {
  readonly #preparation: Preparation;
  readonly #types: ReadonlyMap<string, FieldDefinition>;
  /** Without references, whose values the service alone can judge: it knows the entries. */
  readonly #declared: ReadonlyMap<string, DeclaredField>;
  readonly #seen = new Seen();

  constructor(preparation: Preparation) {
    this.#preparation = preparation;
    this.#types = new Map(preparation.fields.map((field) => [field.name, field]));
    const judged = preparation.strict ? preparation.fields.filter(({ type }) => !takesChannel(type)) : [];
    this.#declared = new Map(judged.map((field) => [field.name, { definition: field, value: valueSchema(field) }]));
  }

  /** A row made ready, or why it can't be. Each row is to be given once: it remembers the values of `upsert`. */
  prepare(row: Row): Ready | Rejection {
    if ('reason' in row) return row;
    const { input, line } = row;
    const reject = (reason: string, errors?: readonly FieldError[]): Rejection => ({
      ...{ input, line, reason, row: row.members },
      ...(errors && { errors }),
    });
    const { members, errors } = this.#membersOf(row);
    if (this.#preparation.strict) errors.push(...this.#misfits(members));
    if (errors.length > 0) return reject(errors.map(({ field, message }) => `${field} ${message}`).join('; '), errors);
    const unfit = whyUnfit(members);
    if (unfit !== null) return reject(unfit);
    const json = JSON.stringify(members);
    if (json.length > mostBytes - 200) return reject('is larger than 1 MiB, the most of a request');
    const value = this.#valueOf(members);
    return typeof value === 'object' && value !== null ? reject(value.reason) : { input, line, members, json, value };
  }

  #membersOf({ members, input }: ReadRow): { members: Record<string, unknown>; errors: FieldError[] } {
    const errors: FieldError[] = [];
    const entries: [string, unknown][] = [];
    for (const [given, value] of Object.entries(members)) {
      const name = this.#preparation.rename ? this.#renamed(given, members) : given;
      if (isFixedField(name) && !settableRestNames.includes(name)) continue;
      try {
        entries.push([name, input.format === 'csv' ? this.#fromCell(name, value) : value]);
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        errors.push({ field: name, code: 'invalid', message: error.message });
      }
    }
    return { members: Object.fromEntries(entries), errors };
  }

  #renamed(given: string, members: Readonly<Record<string, unknown>>): string {
    if (this.#types.has(given) || isFixedField(given)) return given;
    const name = fieldName(given);
    return this.#types.has(name) && !Object.hasOwn(members, name) ? name : given;
  }

  #fromCell(name: string, cell: unknown): unknown {
    const text = String(cell);
    return name === '_acl' ? jsonOf(text, 'json') : valueOf(text, this.#types.get(name)?.type);
  }

  /** What the service would find wrong with a row, as far as that can be told from here. */
  #misfits(members: Readonly<Record<string, unknown>>): FieldError[] {
    const isReference = (name: string): boolean => takesChannel(this.#types.get(name)?.type ?? 'json');
    const judged = Object.entries(members).filter(([name]) => !isReference(name));
    const payload = parsePayload({ body: Object.fromEntries(judged) });
    try {
      const isNew = this.#preparation.upsert === undefined;
      // What references name, and whether one is missing, the service tells.
      const declared = new Map([...this.#declared].filter(([name]) => !isReference(name)));
      parseChange(payload, { declared, isNew, byMaster: true, publication: null, references: new Map() });
      return [];
    } catch (error) {
      if (error instanceof ServiceError) return error.errors ?? [];
      throw error;
    }
  }

  #valueOf(members: Readonly<Record<string, unknown>>): Ready['value'] | { reason: string } {
    const { upsert } = this.#preparation;
    if (upsert === undefined) return null;
    const value = members[upsert];
    if (value === undefined || value === null || value === '')
      return { reason: `has no ${upsert} to find an entry by` };
    if (typeof value === 'object') return { reason: `has a ${upsert} that is neither text nor a number` };
    const comparable = this.#types.get(upsert)?.type === 'datetime' ? isoOf(value) : value;
    if (this.#seen.add(JSON.stringify(comparable))) return { reason: `has a ${upsert} that an earlier row has, too` };
    return comparable as string | number | boolean;
  }
}

/** A time in the one spelling that is stored. */
function isoOf(value: unknown): unknown {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

/** Why no request may hold a row, or null. One bad row would have its whole batch refused. */
function whyUnfit(members: Readonly<Record<string, unknown>>): string | null {
  try {
    assertStorable({ row: members }, limits);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
