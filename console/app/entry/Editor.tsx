// An entry that can be changed: as a form, as JSON, and its access list, all of which change one draft.
import { useEffect, useRef, useState, type SubmitEvent, type ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { ReadEntry } from '../api/queries.ts';
import type { Channel, JsonObject } from '../api/types.ts';
import { useSaveKey } from '../parts/useSaveKey.ts';
import { AccessTab } from './AccessTab.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { memberOf } from './failure.ts';
import { FormTab, shownFields } from './FormTab.tsx';
import { JsonTab } from './JsonTab.tsx';
import { SaveBar } from './SaveBar.tsx';
import { useEditing, type Editing } from './useEditing.ts';
import { showWrong } from './wrongField.ts';

const tabs = { form: 'Form', json: 'JSON', access: 'Access' } as const;
type Tab = keyof typeof tabs;

interface Props {
  readonly channel: Channel;
  /** null: the entry is to be created. */
  readonly id: string | null;
  readonly read: { readonly entry: JsonObject; readonly tag: string | null };
  readonly onStored: (stored: ReadEntry) => void;
  /** Why the entry cannot be saved; null or absent: it can. */
  readonly refused?: string | null;
  /** What stands above the form. */
  readonly head?: (editing: Editing) => ReactNode;
}

export function Editor({ channel, id, read, onStored, refused = null, head }: Props): ReactNode {
  const editing = useEditing(channel, id, read, onStored);
  const form = useRef<HTMLFormElement>(null);
  const [tab, setTab] = useState<Tab>('form');
  useSaveKey(form);
  const { save, saveChanges, conflict } = editing;
  const isInForm = isAboutForm(channel, editing);
  const shown = useRef<Error | null>(null);
  useEffect(() => {
    if (!isInForm || save.error === shown.current) return;
    // The access list has none of the fields that are not right.
    if (tab === 'access') setTab('form');
    else {
      shown.current = save.error;
      showWrong(form.current);
    }
  }, [isInForm, save.error, tab]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    saveChanges();
  };
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
      <form ref={form} onSubmit={submit} className="entry">
        <fieldset className="bare" disabled={refused !== null}>
          <legend className="unseen">{tabs[tab]}</legend>
          {tab === 'form' && <FormTab channel={channel} editing={editing} />}
          {tab === 'json' && <JsonTab key={read.tag} editing={editing} />}
          {tab === 'access' && <AccessTab channel={channel} editing={editing} />}
        </fieldset>
        {refused !== null && <p className="savebar faint">{refused}</p>}
        {refused === null && (
          <SaveBar
            editing={editing}
            isNew={id === null}
            onShow={isInForm && tab === 'form' ? () => showWrong(form.current) : null}
          />
        )}
      </form>
      {conflict && <ConflictDialog key={conflict.theirs.tag} editing={editing} refused={conflict} />}
    </>
  );
}

/** Whether all that a refusal is about has a control in the form, beside which it is said. */
function isAboutForm(channel: Channel, editing: Editing): boolean {
  const { error } = editing.save;
  const errors = error === null ? [] : asProblem(error).details.errors;
  const names = new Set(['slug', ...shownFields(channel, editing).map(({ name }) => name)]);
  return errors.length > 0 && errors.every((each) => names.has(memberOf(each)));
}
