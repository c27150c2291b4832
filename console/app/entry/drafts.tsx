// What was typed and not saved outlives a look at another screen, or through somebody else's eyes. The browser asks before the tab
// is closed.
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { noteUnsaved } from '../../shared/handOver.ts';
import { Drafts } from './kept.ts';

const DraftsContext = createContext<Drafts | null>(null);

export function DraftsProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [drafts] = useState(() => new Drafts());
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (drafts.size > 0) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    noteUnsaved(() => drafts.size > 0);
    return () => removeEventListener('beforeunload', warn);
  }, [drafts]);
  return <DraftsContext value={drafts}>{children}</DraftsContext>;
}

export function useDrafts(): Drafts {
  const drafts = useContext(DraftsContext);
  if (drafts === null) throw new Error('useDrafts is used outside of DraftsProvider.');
  return drafts;
}
