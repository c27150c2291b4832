// Prepares rows for sending: they get the names and types of the channel's fields.
import { ServiceError, type FieldError } from '../../../../../src/base/errors.ts';
import { isFixedField } from '../../../../../src/entries/members.ts';
import { declareField, type DeclaredField } from '../../../../../src/fields/compiled.ts';
import { takeFreely } from '../../../../../src/fields/patterns.ts';
import type { FieldDefinition } from '../../../../../src/fields/definition.ts';
import { inNfc } from '../../../../../src/fields/text.ts';
import { fieldTypes, takesChannel } from '../../../../../src/fields/types.ts';
import { assertStorable } from '../../../../../src/inputs/json.ts';
import { parseChange, parsePayload } from '../../../../../src/inputs/payload.ts';
import { toFieldName } from './fieldSpelling.ts';
import type { RowLinks } from '../rowLinks.ts';
import { maxRowBytes, tooLarge } from '../files/readRows.ts';
import { type RejectedRow, type SourceRow } from '../files/rows.ts';
import { CellError, cellType, parseCell } from './values.ts';

/** A row that can be sent. */
export interface ReadyRow extends SourceRow {
  /** The members as JSON. */
  readonly json: string;
  /** The value of the --upsert field; null without --upsert. */
  readonly value: string | number | boolean | null;
  /** The same as it is stored, by which two rows have one value. */
  readonly comparedAs: ReadyRow['value'];
  /** The references among the rows, which are set once all rows are stored; absent: there are none. */
  readonly links?: Readonly<Record<string, unknown>>;
}

interface Preparation {
  readonly fields: readonly FieldDefinition[];
  /** The field by which existing entries are found. */
  readonly upsert: string | undefined;
  /** Whether names are changed as they are for the fields of an inferred channel. */
  readonly rename: boolean;
  /** Whether values are checked here, as nothing will be sent. */
  readonly strict: boolean;
  /** Which references lead to other rows. */
  readonly links: RowLinks;
}

/** What a request may hold (docs/contract.md §5), less what it holds around a row. */
const rowLimits = { depth: 96, members: 5_000, values: 40_000 };

/** The bytes that a request needs around a row. */
const envelopeBytes = 200;

export class RowPreparer {
  readonly #preparation: Preparation;
  readonly #fields: ReadonlyMap<string, FieldDefinition>;
  /** The fields that are checked here. References are not: only the service knows which entries exist. */
  readonly #checked: ReadonlyMap<string, DeclaredField>;
  readonly #seen = new Set<unknown>();

  constructor(preparation: Preparation) {
    this.#preparation = preparation;
    this.#fields = new Map(preparation.fields.map((field) => [field.name, field]));
    const checked = preparation.strict ? preparation.fields.filter(({ type }) => !takesChannel(type)) : [];
    this.#checked = new Map(checked.map((field) => [field.name, declareField(field)]));
  }

  /** Makes a row ready, or rejects it. Pass each row once, since the values of the --upsert field are remembered. */
  prepare(row: SourceRow): ReadyRow | RejectedRow {
    const { input, place } = row;
    const reject = (reason: string, errors?: readonly FieldError[]): RejectedRow => {
      return { input, place, reason, ...(errors && { errors }), row: row.given ?? row.members };
    };
    const { members, errors } = this.#convert(row);
    if (this.#preparation.strict) errors.push(...this.#validate(members, row.keptId));
    if (errors.length > 0) return reject(errors.map(({ field, message }) => `${field} ${message}`).join('; '), errors);
    const misuse = catchServiceError(() => assertStorable({ row: members }, rowLimits));
    if (misuse) return reject(misuse.message);
    if (Buffer.byteLength(JSON.stringify(members)) > maxRowBytes - envelopeBytes) return reject(tooLarge);
    const key = this.#findKey(members);
    if ('problem' in key) return reject(key.problem);
    const { now, later } = this.#preparation.links.split(members, row.keptId);
    const ready = { ...row, members: now, json: JSON.stringify(now), ...key };
    return later === null ? ready : { ...ready, given: row.given ?? row.members, links: later };
  }

  #convert({ members, input }: SourceRow): { members: Record<string, unknown>; errors: FieldError[] } {
    const errors: FieldError[] = [];
    const entries: [string, unknown][] = [];
    for (const [given, value] of Object.entries(members)) {
      const name = this.#preparation.rename ? this.#rename(given, members) : given;
      try {
        entries.push([name, input.format === 'csv' ? parseCell(String(value), cellType(name, this.#fields)) : value]);
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        errors.push({ field: name, code: 'invalid', message: error.message });
      }
    }
    return { members: Object.fromEntries(entries), errors };
  }

  #rename(given: string, members: SourceRow['members']): string {
    if (this.#fields.has(given) || isFixedField(given)) return given;
    const name = toFieldName(given);
    return this.#fields.has(name) && !Object.hasOwn(members, name) ? name : given;
  }

  /** The errors that the service would report, as far as they can be found without its entries. */
  #validate(members: SourceRow['members'], keptId: string | undefined): readonly FieldError[] {
    const isReference = (name: string): boolean => takesChannel(this.#fields.get(name)?.type ?? 'json');
    const checked = Object.entries(members).filter(([name]) => !isReference(name));
    const payload = parsePayload({ body: Object.fromEntries(checked), keptId });
    const isNew = this.#preparation.upsert === undefined;
    // The state of a stored entry is not known here, so a missing publication time is left to the service.
    const sent = [...this.#checked].map(([name, declaration]) => {
      return [name, { declaration, isReadable: true, writable: 'all' as const }] as const;
    });
    // What the rules of fields refuse is left to the service, too.
    const writing = {
      fields: { isFree: sent.length === 0, sent: new Map(sent) },
      whole: { byName: this.#checked },
      isOwn: false,
      shown: null,
      isNew,
      mayBeSet: new Set(['writers', 'access', 'masters'] as const),
      publication: null,
      references: new Map(),
      takeWork: takeFreely,
      now: new Date(),
    };
    return catchServiceError(() => parseChange(payload, writing))?.errors ?? [];
  }

  /** The value to find an entry by, which no earlier row may have. */
  #findKey(members: SourceRow['members']): Pick<ReadyRow, 'value' | 'comparedAs'> | { problem: string } {
    const { upsert } = this.#preparation;
    if (upsert === undefined) return { value: null, comparedAs: null };
    const given = members[upsert] ?? '';
    if (given === '') return { problem: `has no ${upsert} to find an entry by` };
    const type = this.#fields.get(upsert)?.type ?? 'json';
    const value = type === 'datetime' ? toStoredTime(given) : given;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      return { problem: `has a ${upsert} that is neither a text nor a number` };
    }
    const comparedAs = typeof value === 'string' && fieldTypes[type].isNormalized ? inNfc(value) : value;
    if (this.#seen.has(comparedAs)) return { problem: `has the same ${upsert} as an earlier row` };
    this.#seen.add(comparedAs);
    return { value, comparedAs };
  }
}

/** A time in the spelling that is stored; what is not a time stays as it is. */
function toStoredTime(value: unknown): unknown {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

/** The refusal that a check of the service throws, if any. A row that is refused so has its whole request refused. */
function catchServiceError(check: () => unknown): ServiceError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
