// The door: one pastes a token. The service says whether it is valid.
import { useState, type SubmitEvent, type ReactNode } from 'react';
import { createSend } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { readCredential } from '../../shared/credentials.ts';
import { readKind, type Session, type TokenKind } from '../api/session.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { useTitle } from '../shell/useTitle.ts';

interface Props {
  readonly onSignIn: (session: Session) => void;
  /** Why one was signed out; null: there is nothing to say. */
  readonly reason: string | null;
}

const kinds: Readonly<Record<TokenKind, string>> = {
  master: 'A master token: it may do everything on its site.',
  public: 'A public token: it sees what visitors see.',
  user: 'A user’s token: it reads every site of the user, drafts too. Name the site.',
};

export function SignIn({ onSignIn, reason }: Props): ReactNode {
  useTitle('Sign in');
  // What was entered on another page of this tab stands here already.
  const [token, setToken] = useState(() => readCredential('token'));
  const [site, setSite] = useState(() => readCredential('site'));
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const kind = readKind(token.trim());
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (kind === null) return;
    const session: Session = { token: token.trim(), kind, site: kind === 'user' ? site.trim() : null };
    setIsBusy(true);
    try {
      await createSend(session)('GET', '/channels');
      onSignIn(session);
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <main className="door">
      <h1>Entryway</h1>
      <p>
        Sign in to the console with a token of the service. It stays in the tabs of this browser session until you sign
        out, and goes nowhere but to this service.
      </p>
      {reason !== null && (
        <p className="notice problem" role="alert">
          {reason}
        </p>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <Labelled
          label="Token"
          hint={kind === null ? 'It begins with ew_master_, ew_public_ or ew_user_.' : kinds[kind]}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="password"
              name="token"
              autoComplete="current-password"
              spellCheck={false}
              value={token}
              onChange={({ target }) => setToken(target.value)}
            />
          )}
        </Labelled>
        {kind === 'user' && (
          <Labelled label="Site" hint="The id of a site that the user is a member of.">
            {(attributes) => (
              <input
                {...attributes}
                name="site"
                autoComplete="username"
                value={site}
                onChange={({ target }) => setSite(target.value)}
              />
            )}
          </Labelled>
        )}
        {problem !== null && <ProblemNotice error={asProblem(problem)} />}
        <button
          type="submit"
          className="primary"
          disabled={kind === null || isBusy || (kind === 'user' && site === '')}
        >
          Sign in
        </button>
      </form>
    </main>
  );
}
