// Makes a value of a field, for examples.
import { declareField } from '../../../fields/compiled.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import { takeFreely } from '../../../fields/patterns.ts';
import type { Shape } from '../../../fields/shape.ts';
import { fieldTypes } from '../../../fields/types.ts';
import { checkValue } from '../../../fields/values.ts';

function sampleOf(shape: Shape, { options, min, max }: Pick<FieldDefinition, 'options' | 'min' | 'max'>): unknown {
  switch (shape.of) {
    case 'number':
      return min ?? max ?? shape.example;
    case 'option':
      return options?.[0];
    // No entry exists for every reader.
    case 'reference':
      return undefined;
    case 'list': {
      const item = sampleOf(shape.items, { options, min: null, max: null });
      return item === undefined ? undefined : [item];
    }
    case 'text':
    case 'boolean':
    case 'date':
    case 'time':
    case 'any':
    case 'object':
      return shape.example;
  }
}

/** Makes a value that a field accepts; undefined if none can be made, as for a field with a pattern. */
export function sampleValue(field: FieldDefinition): unknown {
  const value = sampleOf(fieldTypes[field.type].shape, field);
  if (value === undefined || field.pattern !== null) return undefined;
  return checkValue(declareField(field), value, takeFreely).success ? value : undefined;
}
