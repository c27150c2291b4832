// The window's title: what is shown, by its name.
import { useEffect } from 'react';

/** Names the window after what a screen shows, the smallest part first; parts that are not known yet are left out. */
export function useTitle(...parts: readonly (string | null | undefined)[]): void {
  const name = parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
  useEffect(() => {
    document.title = name === '' ? 'Entryway console' : `${name} – Entryway console`;
  }, [name]);
}
