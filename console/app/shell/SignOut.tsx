// Signs out, in every tab with the same token or sign-in. It asks first where that would throw something away.
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { othersHaveUnsaved } from '../../shared/handOver.ts';
import { useDrafts } from '../entry/drafts.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { useSession } from './session.tsx';

export function SignOut(): ReactNode {
  const { end } = useSession();
  const drafts = useDrafts();
  const [isAsked, setIsAsked] = useState(false);
  const leave = useMutation({ mutationFn: () => end() });
  const ask = async (): Promise<void> => {
    if (drafts.size > 0 || (await othersHaveUnsaved())) setIsAsked(true);
    else leave.mutate();
  };
  return (
    <>
      <button type="button" onClick={() => void ask()}>
        Sign out
      </button>
      {!isAsked && leave.error && (
        <Dialog title="You are still signed in" onClose={() => leave.reset()}>
          <ProblemNotice error={leave.error} />
        </Dialog>
      )}
      {isAsked && (
        <Dialog title="Sign out, and lose what is not saved?" onClose={() => setIsAsked(false)}>
          <p>
            {drafts.size > 0
              ? `There are unsaved changes of ${drafts.size === 1 ? '1 entry' : `${drafts.size} entries`} in this tab.`
              : 'There are unsaved changes in another tab.'}{' '}
            Signing out throws away what is not saved, in every tab in which you are signed in.
          </p>
          {leave.error && <ProblemNotice error={leave.error} />}
          <div className="row end">
            <button type="button" onClick={() => setIsAsked(false)}>
              Stay signed in
            </button>
            <button type="button" className="danger" disabled={leave.isPending} onClick={() => leave.mutate()}>
              Sign out, and lose it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
