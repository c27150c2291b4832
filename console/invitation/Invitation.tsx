// Sets a password by a link, or accepts an invitation: as a new user, or as one who has an account and signs in.
import { useEffect, useState, type ReactNode, type SubmitEvent } from 'react';
import { asProblem, type Problem } from '../app/api/problem.ts';
import { serviceBase } from '../app/api/client.ts';
import { Labelled } from '../app/parts/Labelled.tsx';
import { Empty, Loading, ProblemNotice } from '../app/parts/Notice.tsx';
import { noteNew } from '../app/signin/enter.ts';
import { NewPassword } from '../app/signin/NewPassword.tsx';
import { PasswordForm } from '../app/signin/PasswordForm.tsx';
import { acceptInvitation, renewToken, openLink, type Issued } from '../app/signin/requests.ts';
import { isSignInLikely } from '../app/signin/remembered.ts';
import { sayNotSignedIn } from '../app/signin/say.ts';

/** What a link asks for. */
type Step =
  | { readonly kind: 'asking' }
  /** A password, and for a new account a name. */
  | { readonly kind: 'password' }
  /** A sign-in, because the address has an account. */
  | { readonly kind: 'account'; readonly why: string; readonly as: Issued | null }
  | { readonly kind: 'dead'; readonly why: string };

/** Goes on to the console, which gets a token by the cookie. */
function goIn(): void {
  noteNew();
  location.replace(`${serviceBase()}/console`);
}

const codeOf = ({ details }: Problem): string | undefined => details.errors[0]?.code;

/** What a link asks for, by what the service answers to it alone. */
async function findStep(token: string): Promise<Step> {
  if (token === '') return { kind: 'dead', why: 'This page is opened by a link that somebody gave you.' };
  try {
    await openLink(token, null, null);
    return { kind: 'password' };
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status === 422) return { kind: 'password' };
    if (codeOf(problem) !== 'account_exists') return { kind: 'dead', why: problem.message };
    const as = isSignInLikely() ? await renewToken().catch(() => null) : null;
    return { kind: 'account', why: problem.message, as };
  }
}

export function Invitation({ token }: { readonly token: string }): ReactNode {
  const [step, setStep] = useState<Step>({ kind: 'asking' });
  useEffect(() => void findStep(token).then(setStep), [token]);
  const askForAccount = (why: string): void => setStep({ kind: 'account', why, as: null });
  return (
    <main className="door">
      <p className="brand">Entryway</p>
      <h1>{step.kind === 'account' ? 'Accept the invitation' : 'Your way in'}</h1>
      {step.kind === 'asking' && <Loading what="what the link is for" />}
      {step.kind === 'dead' && <Empty>{step.why}</Empty>}
      {step.kind === 'password' && <ChoosePassword token={token} onAccount={askForAccount} />}
      {step.kind === 'account' && <Accept token={token} why={step.why} as={step.as} />}
    </main>
  );
}

interface ChooseProps {
  readonly token: string;
  readonly onAccount: (why: string) => void;
}

function ChoosePassword({ token, onAccount }: ChooseProps): ReactNode {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const faults = problem?.details.errors ?? [];
  const isAboutFields = faults.length > 0 && faults.every(({ field }) => ['name', 'password'].includes(field));
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      await openLink(token, name.trim() === '' ? null : name.trim(), password);
      goIn();
    } catch (error) {
      const refused = asProblem(error);
      if (codeOf(refused) === 'account_exists') onAccount(refused.message);
      setProblem(refused);
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>Choose the password with which you sign in from now on. The link is good once.</p>
      <Labelled
        label="Name"
        hint="As your colleagues read it, where you are new here. You may leave it empty."
        problem={faults.find(({ field }) => field === 'name')?.message}
      >
        {(attributes) => (
          <input {...attributes} autoComplete="name" value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Labelled>
      <NewPassword label="Password" value={password} onChange={setPassword} faults={faults} />
      {problem !== null && !isAboutFields && <Refused problem={problem} />}
      <button type="submit" className="primary wide" disabled={isBusy || password === ''}>
        Set the password, and sign in
      </button>
    </form>
  );
}

/** Why the service refused: a queue of sign-ins is told in the same words as at the door. */
function Refused({ problem }: { readonly problem: Problem }): ReactNode {
  if (problem.status !== 429 && problem.status !== 503) return <ProblemNotice error={problem} />;
  return (
    <p className="wrong" role="alert">
      {sayNotSignedIn(problem)}
    </p>
  );
}

interface AcceptProps {
  readonly token: string;
  readonly why: string;
  /** Who is signed in in this browser already. */
  readonly as: Issued | null;
}

function Accept({ token, why, as }: AcceptProps): ReactNode {
  const [problem, setProblem] = useState<Problem | null>(null);
  const accept = async (issued: Issued): Promise<void> => {
    try {
      await acceptInvitation(token, issued.token);
      goIn();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <>
      <p>{problem === null ? why : ''}</p>
      {problem !== null && <ProblemNotice error={problem} />}
      {as !== null && problem === null && (
        <>
          <button type="button" className="primary wide" onClick={() => void accept(as)}>
            Accept as {as.user.email}
          </button>
          <p className="or">
            <span>or as somebody else</span>
          </p>
        </>
      )}
      <PasswordForm email={null} onSignIn={accept} />
    </>
  );
}
