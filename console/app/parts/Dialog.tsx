// A dialog that keeps the focus inside until it is closed, by Escape too: the browser's own element does that.
import { createPortal } from 'react-dom';
import { useEffect, useId, useRef, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Null: it is left by what it asks for alone. */
  readonly onClose: (() => void) | null;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, children }: Props): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // Outside of the form that may be around it: Enter in a dialog must not send that form.
  return createPortal(
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        if (onClose === null) event.preventDefault();
        else onClose();
      }}
      onClose={() => {
        // A browser lets nobody be held by a dialog that is cancelled twice.
        if (onClose === null && element.current?.isConnected === true) element.current.showModal();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {onClose !== null && (
          <button type="button" className="quiet" onClick={onClose}>
            Close
          </button>
        )}
      </header>
      {children}
    </dialog>,
    document.body,
  );
}
