// The bar below the form of an entry: saves, and says what became of that where the eye is.
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import { useConnected } from '../live/connection.ts';
import { ProblemNotice } from '../parts/Notice.tsx';
import { saySaveFailure } from './failure.ts';
import type { Editing } from './useEditing.ts';

interface Props {
  readonly editing: Editing;
  readonly isNew: boolean;
  /** Moves to the first field that is not right; null: none of them is on this page. */
  readonly onShow: (() => void) | null;
}

export function SaveBar({ editing: { changes, save, conflict, reset }, isNew, onShow }: Props): ReactNode {
  const names = Object.keys(changes);
  const isConnected = useConnected();
  const isRefused = save.error !== null && conflict === null;
  return (
    <div className="savebar">
      <button type="submit" className="primary" disabled={save.isPending || (!isNew && names.length === 0)}>
        {isNew ? 'Create' : 'Save'}
      </button>
      {names.length > 0 && (
        <button type="button" onClick={reset}>
          Discard
        </button>
      )}
      {!isRefused && <span role="status">{sayState(names, save)}</span>}
      {isRefused && (
        <ProblemNotice
          error={save.error}
          heading={saySaveFailure(asProblem(save.error), isConnected)}
          isBrief={onShow !== null}
        >
          {onShow !== null && (
            <button type="button" onClick={onShow}>
              Go to the field
            </button>
          )}
        </ProblemNotice>
      )}
    </div>
  );
}

function sayState(names: readonly string[], { isPending, isSuccess }: Editing['save']): string {
  if (isPending) return 'Saving …';
  if (names.length > 0) return `Not saved yet: ${names.join(', ')}`;
  return isSuccess ? 'Saved' : '';
}
