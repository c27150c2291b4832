// An entry as JSON: the members that can be set.
import { useState, type ReactNode } from 'react';
import type { Entry, Json, JsonObject } from '../api/types.ts';
import { ownNames } from '../entries/columns.tsx';
import { JsonEditor } from '../fields/JsonEditor.tsx';
import { readObject } from '../fields/values.ts';
import { Labelled } from '../parts/Labelled.tsx';
import type { Editing } from './useEditing.ts';

const settable = ['slug', '_status', '_publish_at', '_acl', '_owner'];

/** The members of an entry that can be set, in the order in which they are shown. */
function settableMembers(values: JsonObject): JsonObject {
  const names = [...ownNames(values as Entry), ...settable].filter((name) => values[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

export function JsonTab({ editing }: { readonly editing: Editing }): ReactNode {
  // The text is made once: what is typed changes the draft, not the other way round.
  const [first] = useState(() => settableMembers(editing.values));
  const [names, setNames] = useState(() => Object.keys(first));
  const change = (value: Json): void => {
    const members = readObject(value);
    editing.setText(names, members);
    setNames(Object.keys(members));
  };
  return (
    <Labelled
      label="The entry as JSON"
      hint="Only members that differ are sent. A member that you leave out stays as it is; null clears it."
    >
      {(attributes) => <JsonEditor value={first} onChange={change} attributes={attributes} rows={24} />}
    </Labelled>
  );
}
