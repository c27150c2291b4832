// One pastes a token. The service says whether it is valid.
import { useState, type SubmitEvent, type ReactNode } from 'react';
import { createSend } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { readCredential } from '../../shared/credentials.ts';
import { keepToken, readKind, sessionOfToken, type Session } from '../api/session.ts';
import type { TokenKind } from '../api/types.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';

const kinds: Readonly<Record<TokenKind, string>> = {
  master: 'A master token: it may do everything on its site.',
  public: 'A public token: it sees what visitors see.',
  user: 'A user’s token: it reads every site of the user, drafts too. Name the site.',
};

export function TokenForm({ onSignIn }: { readonly onSignIn: (session: Session) => void }): ReactNode {
  // What was entered on another page of this tab stands here already.
  const [token, setToken] = useState(() => readCredential('token'));
  const [site, setSite] = useState(() => readCredential('site'));
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const kind = readKind(token.trim());
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (kind === null) return;
    const session = sessionOfToken(token.trim(), kind, site.trim());
    setIsBusy(true);
    try {
      await createSend(session)('GET', '/channels');
      keepToken(token.trim(), session.site ?? '');
      onSignIn(session);
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Labelled label="Token" hint={kind === null ? 'It begins with ew_master_, ew_public_ or ew_user_.' : kinds[kind]}>
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
      <button type="submit" disabled={kind === null || isBusy || (kind === 'user' && site === '')}>
        Use the token
      </button>
    </form>
  );
}
