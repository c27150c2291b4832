// An entry as a form made of its channel's fields.
import { useState, type ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import type { Channel, Entry, Field } from '../api/types.ts';
import { ownNames } from '../entries/columns.tsx';
import { FieldEditor } from '../fields/Editor.tsx';
import { formFields } from '../fields/guess.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { readText } from '../fields/values.ts';
import { memberOf } from './failure.ts';
import type { Editing } from './useEditing.ts';

interface Props {
  readonly channel: Channel;
  readonly editing: Editing;
}

/** What the service said of a member in its last answer. */
function problemsByField(error: Error | null): ReadonlyMap<string, string> {
  const errors = error instanceof Problem ? error.details.errors : [];
  return new Map(errors.map((each) => [memberOf(each), each.message]));
}

/** The fields that the form of an entry has. */
export function shownFields(
  channel: Channel,
  { stored, values }: Pick<Editing, 'stored' | 'values'>,
): readonly Field[] {
  const names = ownNames(values as Entry);
  const isEmpty = channel.fields.length === 0 && names.length === 0;
  return formFields(channel, stored, isEmpty ? [channel.title_field] : names);
}

export function FormTab({ channel, editing }: Props): ReactNode {
  const { values, set, save } = editing;
  const problems = problemsByField(save.error);
  const isFree = channel.fields.length === 0;
  const fields = shownFields(channel, editing);
  return (
    <>
      {fields.map((field) => (
        <FieldEditor
          key={field.name}
          field={field}
          value={values[field.name] ?? null}
          problem={problems.get(field.name)}
          onChange={(value) => set(field.name, value)}
        />
      ))}
      {isFree && <MemberAdder onAdd={(name) => set(name, '')} />}
      <Labelled
        label="Slug"
        hint="The name in addresses. Empty: it is made of the title."
        problem={problems.get('slug')}
      >
        {(attributes) => (
          <input
            {...attributes}
            value={readText(values['slug'])}
            onChange={({ target }) => set('slug', target.value === '' ? null : target.value)}
          />
        )}
      </Labelled>
    </>
  );
}

/** In a channel without declared fields any member can be added. */
function MemberAdder({ onAdd }: { readonly onAdd: (name: string) => void }): ReactNode {
  const [name, setName] = useState('');
  const trimmed = name.trim();
  return (
    <div className="row">
      <input
        aria-label="Name of a new member"
        placeholder="Name of a new member"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button
        type="button"
        disabled={trimmed === '' || trimmed.startsWith('_')}
        onClick={() => {
          onAdd(trimmed);
          setName('');
        }}
      >
        Add a member
      </button>
    </div>
  );
}
