// The fields that fit what rows hold, found out in one pass: nothing of the rows is kept but what is known of each name.
import type { FieldDefinition } from '../../fields/definition.ts';
import { fieldTypesWhere, type FieldType } from '../../fields/types.ts';
import { valueSchema } from '../../fields/values.ts';
import { isFixedField } from '../../entries/members.ts';
import { Refusal } from '../run.ts';
import type { NewChannel } from './channel.ts';
import { fieldName, whyNoField } from './names.ts';
import type { Row } from './rows.ts';

/** A field that was found, and the name that it has in the input. */
export interface FoundField {
  readonly name: string;
  readonly type: FieldType;
  readonly given: string;
}

export interface FoundChannel {
  readonly titleField: string | undefined;
  /** Whether entries hold a state: they must not become public for want of one. */
  readonly publishable: boolean;
  readonly fields: readonly FoundField[];
}

const mostFields = 200;
const mostOfString = 255;

/** Types by what they say of a text, the narrowest first. */
const ofTexts = fieldTypesWhere(({ isInferredFromText }) => isInferredFromText);
const schemas = new Map(ofTexts.map((type) => [type, valueSchema({ ...blank(), type })] as const));

/** What is known of the values of a name. */
interface Known {
  readonly kinds: Set<'integer' | 'float' | 'boolean' | 'text' | 'strings' | 'other'>;
  readonly textTypes: Set<FieldType>;
  longest: number;
}

/**
 * The channel that would take these rows; the fields are never `required` or `unique`.
 * @throws {Refusal} where a name can't be a field, or there are too many
 */
export async function inferChannel(rows: AsyncIterable<Row>): Promise<FoundChannel> {
  const known = new Map<string, Known>();
  let publishable = false;
  for await (const row of rows) {
    if ('reason' in row) continue;
    const { _status: status, _publish_at: time } = row.members;
    publishable ||= (status ?? 'published') !== 'published' || (time ?? null) !== null;
    for (const [name, value] of Object.entries(row.members)) {
      if (!isFixedField(name)) learn(known, name, row.input.format === 'csv' ? guess(String(value)) : value);
    }
  }
  const fields = [...known].map(([given, what]) => ({ given, name: fieldName(given), type: typeOf(what) }));
  check(fields);
  return { titleField: ['title', 'name'].find((name) => known.has(name)), publishable, fields };
}

function learn(known: Map<string, Known>, name: string, value: unknown): void {
  let what = known.get(name);
  if (!what) {
    if (known.size >= mostFields) {
      throw new Refusal(
        `The rows have more than ${mostFields} members, which is more than a channel can declare. Make a channel without ` +
          'fields, which takes any, and import into that.',
      );
    }
    what = { kinds: new Set(), textTypes: new Set(ofTexts), longest: 0 };
    known.set(name, what);
  }
  if (value === null || value === undefined) return;
  what.kinds.add(kindOf(value));
  if (typeof value !== 'string') return;
  what.longest = Math.max(what.longest, value.length);
  for (const type of what.textTypes) {
    if (schemas.get(type)?.safeParse(value).success !== true) what.textTypes.delete(type);
  }
}

function kindOf(value: unknown): 'integer' | 'float' | 'boolean' | 'text' | 'strings' | 'other' {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'float';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'text';
  const isStrings = Array.isArray(value) && value.every((item) => typeof item === 'string' && item.length <= 1_000);
  return isStrings ? 'strings' : 'other';
}

function typeOf({ kinds, textTypes, longest }: Known): FieldType {
  const [kind, ...others] = [...kinds].sort();
  if (kind === 'float' && others.join() === 'integer') return 'float';
  if (others.length > 0 || kind === undefined || kind === 'other') return 'json';
  if (kind !== 'text') return kind;
  const [narrow] = textTypes;
  return narrow ?? (longest <= mostOfString ? 'string' : 'text');
}

/** What a cell of CSV stands for, as far as it shows. */
function guess(cell: string): unknown {
  if (/^(true|false)$/i.test(cell)) return cell.toLowerCase() === 'true';
  // A zero before other digits, as in postcodes, would be lost.
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) {
    const number = Number(cell);
    const isKept = /^-?\d+$/.test(cell) ? Number.isSafeInteger(number) : Number.isFinite(number);
    return isKept ? number : cell;
  }
  if (!/^[[{]/.test(cell)) return cell;
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}

/** @throws {Refusal} naming what can't be a field */
function check(fields: readonly FoundField[]): void {
  for (const { name, given, type } of fields) {
    const why = name === '' ? 'holds no letter' : whyNoField(name, type);
    if (why !== null) throw new Refusal(`"${given}" can't be a field: the name ${why}. Rename it in the input.`);
    const other = fields.find((each) => each.name === name && each.given !== given);
    if (other)
      throw new Refusal(`"${given}" and "${other.given}" would be one field, "${name}": rename one in the input.`);
  }
}

/** The channel to make of what was found. */
export function newChannel(id: string, { fields, ...rest }: FoundChannel): NewChannel {
  return { id, ...rest, fields: fields.map(({ name, type }) => ({ name, type })) };
}

/** Fields as the service would describe them. */
export function definitionsOf(fields: NewChannel['fields']): FieldDefinition[] {
  return fields.map((field) => ({ ...blank(), ...field }));
}

function blank(): FieldDefinition {
  const none = { label: null, hint: null, default: null, options: null, channel: null, min: null, max: null };
  return { name: '', type: 'json', required: false, unique: false, indexed: false, pattern: null, ...none };
}
