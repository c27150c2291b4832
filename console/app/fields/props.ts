// What the control of a field is given.
import type { Field, Json } from '../api/types.ts';
import type { ControlAttributes } from '../parts/Labelled.tsx';

export interface EditorProps {
  readonly field: Field;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  /** They connect the control with its label, its hint and what is wrong with it. */
  readonly attributes: ControlAttributes;
}
