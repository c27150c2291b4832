// A number. The text is kept as it is typed: "1." is on its way to a number.
import { useState, type ReactNode } from 'react';
import type { EditorProps } from './props.ts';
import { parseNumber, showPart } from './values.ts';

export function NumberEditor({ value, onChange, attributes }: EditorProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = showPart(value);
  return (
    <input
      {...attributes}
      inputMode="decimal"
      value={typed !== null && parseNumber(typed) === value ? typed : shown}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseNumber(target.value));
      }}
    />
  );
}
