// The door: one signs in at a provider or with email and password, where the service has that, or pastes a token.
import { useEffect, useState, type ReactNode } from 'react';
import { forgetEverywhere } from '../../shared/credentials.ts';
import { onSignedIn } from '../../shared/handOver.ts';
import type { Session } from '../api/session.ts';
import { enterAgain, enterNew, isChoice, type Entered, type SiteChoice } from '../signin/enter.ts';
import { PasswordForm } from '../signin/PasswordForm.tsx';
import { Providers } from '../signin/Providers.tsx';
import { rememberSignIn } from '../signin/remembered.ts';
import { endSignIn, findWaysIn, type WaysIn } from '../signin/requests.ts';
import { Sites } from '../signin/Sites.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { TokenForm } from './TokenForm.tsx';

interface Props {
  readonly onSignIn: (session: Session) => void;
  /** Why one was signed out; null: there is nothing to say. */
  readonly reason: string | null;
  /** Somebody who is signed in already, and has no site yet. */
  readonly first: SiteChoice | null;
}

export function SignIn({ onSignIn, reason, first }: Props): ReactNode {
  useTitle('Sign in');
  const [choice, setChoice] = useState(first);
  const [ways, setWays] = useState<WaysIn | null>(null);
  const go = (entered: Entered | null): void => {
    if (entered === null) return;
    if (isChoice(entered)) setChoice(entered);
    else onSignIn(entered);
  };
  useEffect(() => void findWaysIn().then(setWays), []);
  // Who signs in in another tab is in here, too.
  useEffect(() => onSignedIn(() => void enterAgain().then(go).catch(ignore)));
  const leave = async (): Promise<void> => {
    await endSignIn();
    rememberSignIn(false);
    forgetEverywhere();
    setChoice(null);
  };
  if (choice !== null) {
    return (
      <main className="door">
        <Sites choice={choice} onChoose={onSignIn} onSignOut={leave} />
      </main>
    );
  }
  if (ways === null) return <main className="door" aria-busy />;
  return (
    <main className="door">
      <p className="brand">Entryway</p>
      <h1>Sign in</h1>
      {reason !== null && (
        <p className="notice problem" role="alert">
          {reason}
        </p>
      )}
      {ways.providers.length > 0 && <Providers providers={ways.providers} inOtherTab={false} />}
      {ways.providers.length > 0 && ways.password && (
        <p className="or">
          <span>or with a password</span>
        </p>
      )}
      {ways.password && (
        <>
          <PasswordForm email={null} onSignIn={async (issued) => go(await enterNew(issued))} />
          <p className="hint">
            No account? A colleague invites you, and you get a link. Forgotten your password? Whoever runs this service
            makes you a new link: <code>entryway user link</code>.
          </p>
          <p className="or">
            <span>or with a token</span>
          </p>
        </>
      )}
      <TokenForm onSignIn={onSignIn} />
      <p className="hint">
        A token stays in the tabs of this browser session until you sign out, and goes nowhere but to this service.
      </p>
    </main>
  );
}

/** What fails here is shown by nobody: it was not asked for. */
function ignore(): void {
  // The next tab that signs in tries again.
}
