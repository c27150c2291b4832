// Signs out, in every tab with the same token. It asks first where that would throw something away.
import { useState, type ReactNode } from 'react';
import { othersHaveUnsaved } from '../../shared/handOver.ts';
import { useDrafts } from '../entry/drafts.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useSession } from './session.tsx';

export function SignOut(): ReactNode {
  const { signOut } = useSession();
  const drafts = useDrafts();
  const [isAsked, setIsAsked] = useState(false);
  const ask = async (): Promise<void> => {
    if (drafts.size > 0 || (await othersHaveUnsaved())) setIsAsked(true);
    else signOut();
  };
  return (
    <>
      <button type="button" onClick={() => void ask()}>
        Sign out
      </button>
      {isAsked && (
        <Dialog title="Sign out, and lose what is not saved?" onClose={() => setIsAsked(false)}>
          <p>
            {drafts.size > 0
              ? `There are unsaved changes of ${drafts.size === 1 ? '1 entry' : `${drafts.size} entries`} in this tab.`
              : 'There are unsaved changes in another tab.'}{' '}
            Signing out throws away what is not saved, in every tab with this token.
          </p>
          <div className="row end">
            <button type="button" onClick={() => setIsAsked(false)}>
              Stay signed in
            </button>
            <button type="button" className="danger" onClick={() => signOut()}>
              Sign out, and lose it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
