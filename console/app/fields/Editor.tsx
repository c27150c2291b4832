// The control of a field, by its type. What is entered is sent as it is: the service says what does not fit.
import type { ReactNode } from 'react';
import type { Field, FieldType, Json } from '../api/types.ts';
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

export function FieldEditor({ field, problem, ...rest }: Props): ReactNode {
  const { label, name, required, type, writable = true } = field;
  const { Control, isGroup = false } = controls[type];
  const editor = (
    <Labelled label={label ?? name} hint={hintOf(field)} problem={problem} required={required} isGroup={isGroup}>
      {(attributes) => <Control field={field} attributes={attributes} {...rest} />}
    </Labelled>
  );
  if (writable) return editor;
  return (
    <fieldset className="bare" disabled>
      {editor}
    </fieldset>
  );
}

/** The hint of a field, with what its rules leave to the reader of the form. */
function hintOf({ hint, readable = true, writable = true }: Field): string | null {
  const limit = readable ? 'You may read it, and not change it.' : 'You may set it, and not read it.';
  if (readable && writable) return hint;
  return hint === null || hint === '' ? limit : `${hint} ${limit}`;
}

interface ControlOfType {
  readonly Control: (props: EditorProps) => ReactNode;
  /** Whether it has several parts. */
  readonly isGroup?: true;
}

const controls: Readonly<Record<FieldType, ControlOfType>> = {
  string: { Control: LineEditor },
  email: { Control: (props) => <LineEditor {...props} inputMode="email" /> },
  url: { Control: (props) => <LineEditor {...props} inputMode="url" /> },
  text: { Control: TextEditor },
  html: { Control: (props) => <TextEditor {...props} className="code" /> },
  integer: { Control: NumberEditor },
  float: { Control: NumberEditor },
  boolean: {
    Control: (props) => <ChoiceEditor {...props} options={['true', 'false']} read={(text) => text === 'true'} />,
  },
  select: {
    Control: (props) => <ChoiceEditor {...props} options={props.field.options ?? []} read={(text) => text} />,
  },
  date: { Control: (props) => <LineEditor {...props} type="date" /> },
  datetime: { Control: MomentEditor },
  multi_select: { Control: OptionsEditor, isGroup: true },
  strings: { Control: StringsEditor, isGroup: true },
  geo: { Control: GeoEditor, isGroup: true },
  file: { Control: FileEditor, isGroup: true },
  reference: { Control: ReferenceEditor, isGroup: true },
  references: { Control: ReferencesEditor, isGroup: true },
  json: { Control: JsonEditor },
};

interface LineProps extends EditorProps {
  readonly type?: 'text' | 'date';
  readonly inputMode?: 'text' | 'email' | 'url';
}

function LineEditor({ value, onChange, attributes, type = 'text', inputMode = 'text' }: LineProps): ReactNode {
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

interface TextProps extends EditorProps {
  readonly className?: string;
}

function TextEditor({ value, onChange, attributes, className = '' }: TextProps): ReactNode {
  return (
    <textarea
      {...attributes}
      rows={5}
      className={className}
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
