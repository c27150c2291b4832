// An entry that can be changed: as a form, as JSON, and its access list, all of which change one draft.
import { useState, type SubmitEvent, type ReactNode } from 'react';
import type { ReadEntry } from '../api/queries.ts';
import type { Channel, JsonObject } from '../api/types.ts';
import { ProblemNotice } from '../parts/Notice.tsx';
import { AccessTab } from './AccessTab.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { FormTab } from './FormTab.tsx';
import { JsonTab } from './JsonTab.tsx';
import { useEditing, type Editing } from './useEditing.ts';

const tabs = { form: 'Form', json: 'JSON', access: 'Access' } as const;
type Tab = keyof typeof tabs;

interface Props {
  readonly channel: Channel;
  /** null: the entry is to be created. */
  readonly id: string | null;
  readonly read: { readonly entry: JsonObject; readonly tag: string | null };
  readonly onStored: (stored: ReadEntry) => void;
  /** What stands above the form. */
  readonly head?: (editing: Editing) => ReactNode;
}

export function Editor({ channel, id, read, onStored, head }: Props): ReactNode {
  const editing = useEditing({ channel: channel.id, id }, read, onStored);
  const [tab, setTab] = useState<Tab>('form');
  const { changes, save, saveChanges, conflict, reset } = editing;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    saveChanges();
  };
  const names = Object.keys(changes);
  return (
    <>
      {head?.(editing)}
      <div className="tabs" role="group" aria-label="Views of the entry">
        {(Object.keys(tabs) as Tab[]).map((each) => (
          <button key={each} type="button" aria-pressed={tab === each} onClick={() => setTab(each)}>
            {tabs[each]}
          </button>
        ))}
      </div>
      <form onSubmit={submit} className="entry">
        {tab === 'form' && <FormTab channel={channel} editing={editing} />}
        {tab === 'json' && <JsonTab key={read.tag} editing={editing} />}
        {tab === 'access' && <AccessTab channel={channel} editing={editing} />}
        {save.error && conflict === null && <ProblemNotice error={save.error} />}
        <div className="savebar">
          <button type="submit" className="primary" disabled={save.isPending || (id !== null && names.length === 0)}>
            {id === null ? 'Create' : 'Save'}
          </button>
          {names.length > 0 && (
            <button type="button" onClick={reset}>
              Discard
            </button>
          )}
          <span role="status">{sayState(names, save.isSuccess)}</span>
        </div>
      </form>
      {conflict && <ConflictDialog key={conflict.theirs.tag} editing={editing} refused={conflict} />}
    </>
  );
}

function sayState(names: readonly string[], isSaved: boolean): string {
  if (names.length > 0) return `Not saved yet: ${names.join(', ')}`;
  return isSaved ? 'Saved' : '';
}
