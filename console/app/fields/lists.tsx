// Fields that hold a list of texts: free ones, or some of the field's options.
import type { ReactNode } from 'react';
import type { EditorProps } from './props.ts';
import { readList, readText } from './values.ts';

export function StringsEditor({ field, value, onChange, attributes }: EditorProps): ReactNode {
  const items = readList(value).map(readText);
  const change = (index: number, text: string): void => onChange(items.map((item, at) => (at === index ? text : item)));
  const name = field.label ?? field.name;
  return (
    <div id={attributes.id} role="group" aria-label={name} aria-describedby={attributes['aria-describedby']}>
      {items.map((item, index) => (
        <div className="row" key={index}>
          <textarea
            rows={item.includes('\n') ? 3 : 1}
            aria-label={`${name}, text ${index + 1}`}
            value={item}
            onChange={({ target }) => change(index, target.value)}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`Remove text ${index + 1} of ${name}`}
            onClick={() => onChange(items.filter((_item, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" className="quiet" onClick={() => onChange([...items, ''])}>
        Add a text
      </button>
    </div>
  );
}

export function OptionsEditor({ field, value, onChange, attributes }: EditorProps): ReactNode {
  const chosen = readList(value).map(readText);
  const toggle = (option: string): void =>
    onChange(chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option]);
  return (
    <div
      id={attributes.id}
      className="options"
      role="group"
      aria-label={field.label ?? field.name}
      aria-describedby={attributes['aria-describedby']}
    >
      {(field.options ?? []).map((option) => (
        <label key={option}>
          <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} /> {option}
        </label>
      ))}
    </div>
  );
}
