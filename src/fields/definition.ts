// A channel's declared fields, as its row stores them (docs/contract.md §6).
import type { FieldRules } from '../rules/fieldRules.ts';
import type { FieldType } from './types.ts';

/** A declared field. Settings that were not sent are null; of the rules for its values those that were not sent are absent. */
export interface FieldDefinition extends FieldRules {
  readonly name: string;
  readonly type: FieldType;
  readonly label: string | null;
  readonly hint: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** The value for new entries whose payload has none. */
  readonly default: unknown;
  /** The values that a select accepts. */
  readonly options: readonly string[] | null;
  /** The id of the channel that a reference points to. */
  readonly channel: string | null;
  /** Bounds, both inclusive, of the quantity that the type's `measure` names (types.ts). */
  readonly min: number | null;
  readonly max: number | null;
  readonly pattern: string | null;
  /** The error message for a text that does not match the pattern. */
  readonly message: string | null;
}

/** A definition without any settings besides name and type. */
export const plainField: Omit<FieldDefinition, 'name' | 'type'> = {
  label: null,
  hint: null,
  required: false,
  unique: false,
  indexed: false,
  default: null,

  options: null,
  channel: null,
  min: null,
  max: null,
  pattern: null,
  message: null,
};

/**
 * Reads the definitions that a channel's row stores. Rows of older releases have no `message`.
 * @param fields the column: only the output of src/management/channels/fieldInput.ts is written to it
 */
export function readDefinitions(fields: unknown): readonly FieldDefinition[] {
  const stored = fields as readonly (Omit<FieldDefinition, 'message'> & Partial<FieldDefinition>)[];
  if (stored.every(isWhole)) return stored;
  return stored.map((definition) => ({ message: null, ...definition }));
}

function isWhole(definition: Partial<FieldDefinition>): definition is FieldDefinition {
  return definition.message !== undefined;
}
