// A question before something that cannot be taken back.
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { ProblemNotice } from './Notice.tsx';

interface Props {
  readonly title: string;
  readonly action: string;
  readonly run: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks, runs what was confirmed, and stays open with the problem if that fails. */
export function Confirm({ title, action, run, onDone, onClose, children }: Props): ReactNode {
  const { mutate, isPending, error } = useMutation({ mutationFn: run, onSuccess: onDone });
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error && <ProblemNotice error={error} />}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={isPending} onClick={() => mutate()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
