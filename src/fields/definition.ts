// A channel's declared fields, as its row stores them (docs/contract.md §6).
import type { FieldType } from './types.ts';

/** A declared field. Settings that were not sent are null. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  readonly label: string | null;
  readonly hint: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** The value of a new entry whose payload has none. */
  readonly default: unknown;
  /** The values that a select takes. */
  readonly options: readonly string[] | null;
  /** The id of the channel that a reference points to. */
  readonly channel: string | null;
  /** Bounds, both inclusive, of the quantity that the type's `measure` names (types.ts). */
  readonly min: number | null;
  readonly max: number | null;
  readonly pattern: string | null;
}
