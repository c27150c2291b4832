// The control of a field, by its type. What is entered is sent as it is: the service says what does not fit.
import type { ReactNode } from 'react';
import type { FieldType, Json } from '../api/types.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { fromLocalInput, toLocalInput } from '../parts/times.ts';
import { FileEditor, GeoEditor } from './compound.tsx';
import { JsonEditor } from './JsonEditor.tsx';
import { OptionsEditor, StringsEditor } from './lists.tsx';
import { NumberEditor } from './NumberEditor.tsx';
import { readText, showPart } from './values.ts';
import type { EditorProps } from './props.ts';
import { ReferenceEditor, ReferencesEditor } from './references.tsx';

interface Props extends Omit<EditorProps, 'attributes'> {
  readonly problem: string | undefined;
}

/** The types whose control has several parts. */
const grouped = new Set<FieldType>(['multi_select', 'strings', 'geo', 'file', 'reference', 'references']);

export function FieldEditor({ field, problem, ...rest }: Props): ReactNode {
  const { label, name, hint, required, type } = field;
  return (
    <Labelled label={label ?? name} hint={hint} problem={problem} required={required} isGroup={grouped.has(type)}>
      {(attributes) => <Control field={field} attributes={attributes} {...rest} />}
    </Labelled>
  );
}

function Control(props: EditorProps): ReactNode {
  switch (props.field.type) {
    case 'string':
    case 'email':
    case 'url':
      return <LineEditor {...props} />;
    case 'text':
    case 'html':
      return <TextEditor {...props} />;
    case 'integer':
    case 'float':
      return <NumberEditor {...props} />;
    case 'boolean':
      return <ChoiceEditor {...props} options={['true', 'false']} read={(text) => text === 'true'} />;
    case 'select':
      return <ChoiceEditor {...props} options={props.field.options ?? []} read={(text) => text} />;
    case 'date':
      return <LineEditor {...props} type="date" />;
    case 'datetime':
      return <MomentEditor {...props} />;
    case 'multi_select':
      return <OptionsEditor {...props} />;
    case 'strings':
      return <StringsEditor {...props} />;
    case 'geo':
      return <GeoEditor {...props} />;
    case 'file':
      return <FileEditor {...props} />;
    case 'reference':
      return <ReferenceEditor {...props} />;
    case 'references':
      return <ReferencesEditor {...props} />;
    case 'json':
      return <JsonEditor {...props} />;
  }
}

const inputModes = { email: 'email', url: 'url' } as const;

function LineEditor({ field, value, onChange, attributes, type = 'text' }: EditorProps & { type?: string }): ReactNode {
  const inputMode = field.type === 'email' || field.type === 'url' ? inputModes[field.type] : 'text';
  return (
    <input
      {...attributes}
      type={type}
      inputMode={inputMode}
      value={readText(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}

function TextEditor({ value, onChange, attributes, field }: EditorProps): ReactNode {
  return (
    <textarea
      {...attributes}
      rows={5}
      className={field.type === 'html' ? 'code' : ''}
      value={readText(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}

function MomentEditor({ value, onChange, attributes }: EditorProps): ReactNode {
  return (
    <input
      {...attributes}
      type="datetime-local"
      step={1}
      value={toLocalInput(typeof value === 'string' ? value : null)}
      onChange={({ target }) => onChange(fromLocalInput(target.value))}
    />
  );
}

interface ChoiceProps extends EditorProps {
  readonly options: readonly string[];
  readonly read: (text: string) => Json;
}

function ChoiceEditor({ value, onChange, attributes, options, read }: ChoiceProps): ReactNode {
  return (
    <select
      {...attributes}
      value={showPart(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : read(target.value))}
    >
      <option value="">No value</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}
