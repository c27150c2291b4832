// The account of whoever is signed in: the password, where one is signed in, and personal tokens.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import { Problem } from '../api/problem.ts';
import type { User } from '../api/types.ts';
import { Confirm } from '../parts/Confirm.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';
import { useSession } from '../shell/session.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { NewPassword } from '../signin/NewPassword.tsx';
import { PasswordInput } from '../signin/PasswordInput.tsx';
import { changePassword } from '../signin/requests.ts';
import { PersonalTokens } from './PersonalTokens.tsx';

export default function Account(): ReactNode {
  useTitle('Account');
  const { user } = useSession().session;
  return (
    <>
      <h1>Account</h1>
      {user === null ? (
        <Empty>Whoever signs in with email and password looks after the account here. You work with a token.</Empty>
      ) : (
        <>
          <p>
            {user.name !== null && `${user.name}, `}
            {user.email}
          </p>
          <Password user={user} />
          <SignIns />
          <PersonalTokens />
        </>
      )}
    </>
  );
}

function Password({ user }: { readonly user: User }): ReactNode {
  const { session } = useSession();
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    // A password is kept no longer than it is typed.
    gcTime: 0,
    mutationFn: async () => changePassword(await session.keys.read(), current, next),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      return client.invalidateQueries({ queryKey: ownSignIns });
    },
  });
  const problem = change.error instanceof Problem ? change.error : null;
  const isWrong = problem?.status === 401;
  const faults = problem?.details.errors ?? [];
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form
        className="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        {/* For what remembers passwords. */}
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <Labelled label="Current password" problem={isWrong ? 'That is not your password.' : undefined} isUrgent>
          {(attributes) => (
            <PasswordInput {...attributes} autoComplete="current-password" value={current} onChange={setCurrent} />
          )}
        </Labelled>
        <NewPassword label="New password" value={next} onChange={setNext} faults={faults} />
        {change.error && !isWrong && faults.length === 0 && <ProblemNotice error={change.error} />}
        <div className="row">
          <button type="submit" disabled={change.isPending || current === '' || next === ''}>
            Change the password
          </button>
          <span role="status">
            {change.isSuccess && current === '' ? 'Changed. Your other sign-ins have ended.' : ''}
          </span>
        </div>
      </form>
    </section>
  );
}

interface OwnSignIn {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}

const ownSignIns = ['sign-ins'];

function SignIns(): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ownSignIns,
    queryFn: async ({ signal }) => (await send('GET', '/me/sign-ins', { signal })).body as readonly OwnSignIn[],
    staleTime: 0,
  });
  const end = useMutation({
    mutationFn: (id: string) => send('DELETE', path`/me/sign-ins/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ownSignIns }),
  });
  return (
    <section aria-labelledby="sign-ins">
      <h2 id="sign-ins">Where you are signed in</h2>
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="your sign-ins" />}
      {end.error && <ProblemNotice error={end.error} />}
      {data && (
        <table className="cards">
          <caption className="unseen">Your sign-ins</caption>
          <thead>
            <tr>
              <th scope="col">Began</th>
              <th scope="col">Last used</th>
              <th scope="col">Ends</th>
              <th scope="col">
                <span className="unseen">End it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, created_at: began, last_used_at: used, expires_at: ends, current }) => (
              <tr key={id}>
                <td data-label="Began">{showTime(began)}</td>
                <td data-label="Last used">{showTime(used)}</td>
                <td data-label="Ends">{showTime(ends)}, if it is not used</td>
                <td>
                  {current ? (
                    <span className="badge">this one</span>
                  ) : (
                    <button type="button" disabled={end.isPending} onClick={() => end.mutate(id)}>
                      End <span className="unseen">the sign-in of {showTime(began)}</span>
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row">
        <button type="button" className="danger" onClick={() => setAsked(true)}>
          Sign out everywhere …
        </button>
      </div>
      {asked && <Everywhere onClose={() => setAsked(false)} />}
    </section>
  );
}

function Everywhere({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { end } = useSession();
  const [tokens, setTokens] = useState(false);
  return (
    <Confirm
      title="Sign out everywhere?"
      action="Sign out everywhere"
      run={() => end({ everywhere: true, tokens })}
      onClose={onClose}
      onDone={onClose}
    >
      <p>All your sign-ins end within a second, this one too. What is not saved in any of them is lost.</p>
      <label>
        <input type="checkbox" checked={tokens} onChange={({ target }) => setTokens(target.checked)} /> Also end my
        personal tokens: what works with them does not work any more
      </label>
    </Confirm>
  );
}
