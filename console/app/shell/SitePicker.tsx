// Goes on on another site. It asks first where that would throw something away.
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useDrafts } from '../entry/drafts.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useSession } from './session.tsx';

export function SitePicker(): ReactNode {
  const { session, changeSite } = useSession();
  const drafts = useDrafts();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState<string | null>(null);
  const change = (site: string): void => {
    navigate('/');
    changeSite(site);
  };
  return (
    <>
      <select
        aria-label="Site"
        value={session.site ?? ''}
        onChange={({ target: { value } }) => (drafts.size > 0 ? setAsked(value) : change(value))}
      >
        {session.sites.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {asked !== null && (
        <Dialog title="Go to the other site, and lose what is not saved?" onClose={() => setAsked(null)}>
          <p>There are unsaved changes of {drafts.size === 1 ? '1 entry' : `${drafts.size} entries`} in this tab.</p>
          <div className="row end">
            <button type="button" onClick={() => setAsked(null)}>
              Stay here
            </button>
            <button type="button" className="danger" onClick={() => change(asked)}>
              Go, and lose it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
