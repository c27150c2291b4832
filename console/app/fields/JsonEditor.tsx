// A value as JSON. A form with a text that is no JSON is not sent.
import { useState, type ReactNode } from 'react';
import type { Json } from '../api/types.ts';
import type { EditorProps } from './props.ts';

/** The value of a text; null if it is no JSON. An empty text is the value null. */
function parse(text: string): { readonly value: Json } | null {
  if (text.trim() === '') return { value: null };
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

type Props = Pick<EditorProps, 'value' | 'onChange' | 'attributes'> & { readonly rows?: number };

export function JsonEditor({ value, onChange, attributes, rows = 4 }: Props): ReactNode {
  const [text, setText] = useState(value === null ? '' : JSON.stringify(value, null, 2));
  const isWrong = parse(text) === null;
  return (
    <>
      <textarea
        {...attributes}
        className="code"
        rows={rows}
        spellCheck={false}
        aria-invalid={isWrong || attributes['aria-invalid']}
        value={text}
        onChange={({ target }) => {
          const parsed = parse(target.value);
          target.setCustomValidity(parsed === null ? 'This is not JSON.' : '');
          setText(target.value);
          if (parsed) onChange(parsed.value);
        }}
      />
      {isWrong && <span className="wrong">This is not JSON.</span>}
    </>
  );
}
