// Fields whose value has several parts: a point on the earth, and a file that is stored elsewhere.
import { useState, type ReactNode } from 'react';
import type { Json, JsonObject } from '../api/types.ts';
import type { EditorProps } from './props.ts';
import { parseNumber, readList, readObject, showPart } from './values.ts';

interface PartProps {
  readonly label: string;
  readonly value: Json;
  readonly onChange: (text: string) => void;
}

function Part({ label, value, onChange }: PartProps): ReactNode {
  const text = showPart(value);
  return (
    <label className="part">
      {label}
      <input value={text} onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}

/** A GeoJSON point: longitude before latitude. */
export function GeoEditor({ field, value, onChange, attributes }: EditorProps): ReactNode {
  const stored = readList(readObject(value)['coordinates'] ?? null);
  const [typed, setTyped] = useState<readonly [string, string] | null>(null);
  const shown = typed ?? [showPart(stored[0]), showPart(stored[1])];
  const change = (next: readonly [string, string]): void => {
    setTyped(next);
    const isEmpty = next.every((text) => text.trim() === '');
    onChange(isEmpty ? null : { type: 'Point', coordinates: next.map(parseNumber) });
  };
  return (
    <div id={attributes.id} className="row" role="group" aria-label={field.label ?? field.name}>
      <Part label="Longitude" value={shown[0]} onChange={(text) => change([text, shown[1]])} />
      <Part label="Latitude" value={shown[1]} onChange={(text) => change([shown[0], text])} />
    </div>
  );
}

export function FileEditor({ field, value, onChange, attributes }: EditorProps): ReactNode {
  const file = readObject(value);
  const change = (name: string, part: Json): void => {
    const next: JsonObject = { ...file, [name]: part };
    const filled = Object.entries(next).filter(([, each]) => each !== null && each !== '');
    onChange(filled.length === 0 ? null : Object.fromEntries(filled));
  };
  return (
    <div id={attributes.id} className="parts" role="group" aria-label={field.label ?? field.name}>
      <Part label="Address (URL)" value={file['url'] ?? null} onChange={(text) => change('url', text)} />
      <Part label="File name" value={file['filename'] ?? null} onChange={(text) => change('filename', text)} />
      <Part label="Media type" value={file['content_type'] ?? null} onChange={(text) => change('content_type', text)} />
      <Part label="Size in bytes" value={file['size'] ?? null} onChange={(text) => change('size', parseNumber(text))} />
    </div>
  );
}
