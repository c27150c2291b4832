// The TypeScript types of a channel's fields, for `entryway types`: in answers, in payloads, and in filters. They
// follow the schemas of the OpenAPI document (src/fields/jsonSchema.ts).
import type { FieldDefinition } from '../../../fields/definition.ts';
import type { MemberShape, Shape } from '../../../fields/shape.ts';
import { emptyValue, fieldTypes, objectShapes, takesChannel } from '../../../fields/types.ts';
import { operatorTypes, type OperatorTypes } from './operatorTypes.ts';

/** A shape in TypeScript. */
interface ShapeTexts {
  /** A value in an answer. */
  readonly shown: string;
  /** A value in a payload. */
  readonly sent: string;
  /** The operand of filters: each of several values, or the name of an entry. */
  readonly compared: string;
}

/** Prints a shape. @param options the options that the field declares */
function print(shape: Shape | MemberShape, options: FieldDefinition['options']): ShapeTexts {
  switch (shape.of) {
    case 'text':
    case 'date':
    case 'time':
      return alike('string');
    case 'number':
    case 'boolean':
      return alike(shape.of);
    case 'any':
      return alike('unknown');
    case 'option':
      return alike(unionType(options ?? []));
    case 'constant':
      return alike(JSON.stringify(shape.value));
    case 'object':
      return alike(shape.typescript.name);
    case 'reference':
      return { shown: 'Stub', sent: 'SentReference', compared: 'SentReference' };
    case 'list': {
      const { shown, sent, compared } = print(shape.items, options);
      if (shape.lengths !== null) return alike(shape.lengths.map((length) => tupleType(shown, length)).join(' | '));
      return { shown: listType(shown), sent: `readonly ${listType(sent)}`, compared };
    }
  }
}

function alike(type: string): ShapeTexts {
  return { shown: type, sent: type, compared: type };
}

function tupleType(item: string, length: number): string {
  return `[${Array.from({ length }, () => item).join(', ')}]`;
}

/** The declarations of the types of objects. */
export function objectDeclarations(): string {
  const declarations = objectShapes.map(({ typescript: { name, description }, members }) => {
    const lines = Object.entries(members).map(
      ([member, { shape, isRequired }]) => `  ${member}${isRequired ? '' : '?'}: ${print(shape, null).shown};\n`,
    );
    return `/** ${description} */\nexport interface ${name} {\n${lines.join('')}}\n`;
  });
  return declarations.join('\n');
}

/**
 * The type of a field in answers: null if the entry has no value, even for a required field, because values that were
 * stored before do not have to fit it (docs/contract.md §6.6).
 */
export function shownType(field: FieldDefinition): string {
  const { shown } = printField(field);
  return emptyValue(field.type) === null ? orNullType(shown) : shown;
}

/** The type of a field in payloads. Null clears it, if it is not required. */
export function sentType(field: FieldDefinition): string {
  const { sent } = printField(field);
  return field.required ? sent : orNullType(sent);
}

/** The type of a field in filters: a value, or an object of operators. */
export function comparedType(field: FieldDefinition): string {
  const { type } = field;
  return comparisonType(takesChannel(type) ? 'reference' : fieldTypes[type].comparison, printField(field).compared);
}

function printField({ type, options }: FieldDefinition): ShapeTexts {
  return print(fieldTypes[type].shape, options);
}

/** A value, or an object of operators; an object is always the latter. */
export function comparisonType(kind: keyof OperatorTypes, value: string): string {
  const { name, bare } = operatorTypes[kind];
  return `${bare === null ? '' : `${bare === 'value' ? value : bare} | `}${name}<${value}>`;
}

/** The union of some texts. */
export function unionType(texts: readonly string[]): string {
  return texts.length === 0 ? 'never' : texts.map((each) => JSON.stringify(each)).join(' | ');
}

function listType(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

function orNullType(type: string): string {
  return type === 'unknown' ? type : `${type} | null`;
}
