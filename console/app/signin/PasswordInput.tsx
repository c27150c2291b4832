// A field for a password, which can be shown.
import { useState, type ReactNode, type Ref } from 'react';
import type { ControlAttributes } from '../parts/Labelled.tsx';

interface Props extends ControlAttributes {
  readonly ref?: Ref<HTMLInputElement>;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly autoFocus?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function PasswordInput({ onChange, ...attributes }: Props): ReactNode {
  const [isShown, setIsShown] = useState(false);
  return (
    <span className="inputgroup">
      <input
        {...attributes}
        type={isShown ? 'text' : 'password'}
        required
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      <button
        type="button"
        className="quiet"
        aria-pressed={isShown}
        aria-label="Show the password"
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? 'Hide' : 'Show'}
      </button>
    </span>
  );
}
