// Two changed the same entry: what it was, what is stored now, and what you have; for each member one chooses.
import { useState, type ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { showValue } from '../entries/columns.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { compare, resolve, type Choice, type Clash } from './draft.ts';
import type { Editing, Refused } from './useEditing.ts';

interface Props {
  readonly editing: Editing;
  readonly refused: Refused;
}

export function ConflictDialog({ editing, refused: { before, theirs, changes } }: Props): ReactNode {
  const { save, dismiss } = editing;
  const { clashes, taken } = compare(before, theirs.entry, changes);
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const isDone = clashes.every(({ name }) => choices[name] !== undefined);
  return (
    <Dialog title="Somebody else saved this entry, too" onClose={dismiss}>
      <p>Nothing of yours was saved yet. Choose what the entry is to hold.</p>
      {clashes.length === 0 && <p>You changed other members than they did: both changes fit together.</p>}
      {clashes.map((clash) => (
        <ClashChoice
          key={clash.name}
          clash={clash}
          choice={choices[clash.name]}
          onChoose={(choice) => setChoices({ ...choices, [clash.name]: choice })}
        />
      ))}
      {taken.length > 0 && (
        <>
          <p>Changed only by them, and kept as it is stored:</p>
          <ul>
            {taken.map(({ name, before, theirs: value }) => (
              <li key={name}>
                <code>{name}</code>: <del>{showValue(before)}</del> <ins>{showValue(value)}</ins>
              </li>
            ))}
          </ul>
        </>
      )}
      {save.error instanceof Problem && save.error.status !== 412 && <ProblemNotice error={save.error} />}
      <div className="row end">
        <button type="button" onClick={dismiss}>
          Back to the form
        </button>
        <button
          type="button"
          className="primary"
          disabled={!isDone || save.isPending}
          onClick={() =>
            save.mutate({ changes: resolve(changes, choices), settled: Object.keys(changes), tag: theirs.tag })
          }
        >
          Save this
        </button>
      </div>
    </Dialog>
  );
}

interface ClashProps {
  readonly clash: Clash;
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
}

function ClashChoice({ clash: { name, before, theirs, yours }, choice, onChoose }: ClashProps): ReactNode {
  return (
    <fieldset>
      <legend>
        <code>{name}</code>
      </legend>
      <p className="faint">It was: {showValue(before)}</p>
      <label>
        <input type="radio" name={name} checked={choice === 'theirs'} onChange={() => onChoose('theirs')} /> Theirs:{' '}
        <strong>{showValue(theirs)}</strong>
      </label>
      <label>
        <input type="radio" name={name} checked={choice === 'yours'} onChange={() => onChoose('yours')} /> Yours:{' '}
        <strong>{showValue(yours)}</strong>
      </label>
    </fieldset>
  );
}
