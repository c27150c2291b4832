// Ctrl-S, and Command-S, save a form.
import { useEffect, type RefObject } from 'react';

/** Sends a form at the keys for that, in place of the browser, which would save the page; not while its button cannot be pressed. */
export function useSaveKey(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 's')
        return;
      event.preventDefault();
      const isAsked = document.querySelector('dialog[open]') !== null;
      const button = form.current?.querySelector<HTMLButtonElement>('button[type=submit]');
      if (!isAsked && !event.repeat && button?.disabled === false) form.current?.requestSubmit(button);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [form]);
}
