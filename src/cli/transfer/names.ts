// Names that fields can have.
import type { FieldType } from '../../fields/types.ts';
import { fieldsInput } from '../../inputs/field.ts';

/** A column's name as a field's: as it is where that does, else lower case, and `_` for what is neither letter nor digit. */
export function fieldName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(name)) return name;
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 63);
}

/** Why no field can have a name, or null. */
export function whyNoField(name: string, type: FieldType = 'json'): string | null {
  return fieldsInput.safeParse([{ name, type }]).error?.issues[0]?.message ?? null;
}
