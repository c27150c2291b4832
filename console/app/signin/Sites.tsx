// The choice of the site to work on, by a user of several.
import { useState, type ReactNode } from 'react';
import { ProblemNotice } from '../parts/Notice.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { enterSite, type SiteChoice } from './enter.ts';
import type { Session } from '../api/session.ts';

interface Props {
  readonly choice: SiteChoice;
  readonly onChoose: (session: Session) => void;
  /** What it throws is shown. */
  readonly onSignOut: () => Promise<void>;
}

export function Sites({ choice, onChoose, onSignOut }: Props): ReactNode {
  useTitle('Sites');
  const { keys, sites } = choice;
  const [problem, setProblem] = useState<unknown>(null);
  return (
    <>
      <h1>{sites.length === 0 ? 'No site yet' : 'Where do you work?'}</h1>
      <p>
        You are signed in as {keys.user.email}.{' '}
        {sites.length === 0 && 'You are a member of no site: ask somebody who looks after one to invite you.'}
      </p>
      <ul className="plain picks" aria-label="Sites">
        {sites.map(({ id, name }) => (
          <li key={id}>
            <button type="button" onClick={() => onChoose(enterSite(choice, id))}>
              {name} <span className="faint">{id}</span>
            </button>
          </li>
        ))}
      </ul>
      {problem !== null && <ProblemNotice error={problem} />}
      <button type="button" onClick={() => void onSignOut().catch(setProblem)}>
        Sign out
      </button>
    </>
  );
}
