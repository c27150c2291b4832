// Email and password: at the door, and over what somebody was doing whose sign-in has ended.
import { useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { asProblem } from '../api/problem.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { PasswordInput } from './PasswordInput.tsx';
import { signInWith, type Issued } from './requests.ts';
import { sayNotSignedIn } from './say.ts';

interface Props {
  /** Whose sign-in it has to be; null: anybody's. */
  readonly email: string | null;
  /** Goes on with the sign-in. What it throws is shown. */
  readonly onSignIn: (issued: Issued) => Promise<void>;
}

export function PasswordForm({ email, onSignIn }: Props): ReactNode {
  const [typed, setTyped] = useState(email ?? '');
  const [password, setPassword] = useState('');
  const [said, setSaid] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    setSaid(null);
    try {
      await onSignIn(await signInWith(typed.trim(), password));
    } catch (error) {
      setSaid(sayNotSignedIn(asProblem(error)));
      field.current?.focus();
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="stack">
      <Labelled label="Email">
        {(attributes) => (
          <input
            {...attributes}
            type="email"
            autoComplete="username"
            required
            readOnly={email !== null}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Labelled>
      <Labelled label="Password" problem={said ?? undefined} isUrgent>
        {(attributes) => (
          <PasswordInput
            {...attributes}
            ref={field}
            autoComplete="current-password"
            autoFocus={email !== null}
            value={password}
            onChange={setPassword}
          />
        )}
      </Labelled>
      <button type="submit" className="primary wide" disabled={isBusy || typed === '' || password === ''}>
        Sign in
      </button>
    </form>
  );
}
