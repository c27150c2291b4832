// The preview that holds for all screens of this tab.
import { createContext, useContext, useMemo, useState, type ReactNode } from 'react';
import { useSession } from '../shell/session.tsx';
import type { Preview } from './preview.ts';

interface PreviewState {
  /** null: the person reads with the own token. */
  readonly preview: Preview | null;
  readonly setPreview: (preview: Preview | null) => void;
  /** Whether the token may ask for previews and explanations at all. */
  readonly isPossible: boolean;
}

const PreviewContext = createContext<PreviewState | null>(null);
const key = 'entryway.preview';

export function PreviewProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const isPossible = useSession().session.kind !== 'public';
  const [preview, setStored] = useState<Preview | null>(() => {
    const stored = isPossible ? sessionStorage.getItem(key) : null;
    return stored === null ? null : (JSON.parse(stored) as Preview);
  });
  const state = useMemo(() => {
    const setPreview = (next: Preview | null): void => {
      if (next === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(next));
      setStored(next);
    };
    return { preview, setPreview, isPossible };
  }, [preview, isPossible]);
  return <PreviewContext value={state}>{children}</PreviewContext>;
}

export function usePreview(): PreviewState {
  const state = useContext(PreviewContext);
  if (state === null) throw new Error('usePreview is used outside of PreviewProvider.');
  return state;
}
