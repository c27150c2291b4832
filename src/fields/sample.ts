// A value of a field, for examples.
import { declareField } from './compiled.ts';
import type { FieldDefinition } from './definition.ts';
import { takeFreely } from './patterns.ts';
import type { FieldType } from './types.ts';
import { checkValue } from './values.ts';

const samples: Readonly<Record<FieldType, (field: FieldDefinition) => unknown>> = {
  string: () => 'A text',
  text: () => 'A longer text',
  html: () => '<p>A paragraph</p>',
  integer: ({ min, max }) => min ?? max ?? 1,
  float: ({ min, max }) => min ?? max ?? 1.5,
  boolean: () => true,
  date: () => '2026-01-31',
  datetime: () => '2026-01-31T09:30:00.000Z',
  email: () => 'ada@example.com',
  url: () => 'https://example.com/',
  json: () => ({ any: ['value'] }),
  select: ({ options }) => options?.[0],
  multi_select: ({ options }) => options?.slice(0, 1),
  strings: () => ['A text'],
  geo: () => ({ type: 'Point', coordinates: [13.4, 52.5] }),
  // The entries that there are differ from reader to reader.
  reference: () => undefined,
  references: () => undefined,
  file: () => ({ url: 'https://example.com/file.pdf', filename: 'file.pdf' }),
};

/** A value that a field takes; undefined where none is at hand, as for a field with a pattern. */
export function sampleValue(field: FieldDefinition): unknown {
  const value = samples[field.type](field);
  if (value === undefined || field.pattern !== null) return undefined;
  return checkValue(declareField(field), value, takeFreely).success ? value : undefined;
}
