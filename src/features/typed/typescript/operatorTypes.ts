// The operators of filters as TypeScript types, for `entryway types`: one type for each kind of value, made from the
// table by which the service parses filters.
import type { ComparisonKind } from '../../../fields/shape.ts';
import { operatorsByKind, operatorsOfReferences } from '../../../inputs/lists/operators.ts';
import type { Operator } from '../../../inputs/lists/filter.ts';

interface OperatorType {
  readonly name: string;
  readonly operators: readonly Operator[];
  /** The shorthand for `eq`: the value, another type, or none. */
  readonly bare: string | null;
}

export type OperatorTypes = Readonly<Record<ComparisonKind | 'reference', OperatorType>>;

/** By the kind of values compared. Dates and times are texts with an order. */
export const operatorTypes: OperatorTypes = {
  text: { name: 'TextOperators', operators: operatorsByKind.text, bare: 'value' },
  number: { name: 'OrderOperators', operators: operatorsByKind.number, bare: 'value' },
  date: { name: 'OrderOperators', operators: operatorsByKind.date, bare: 'value' },
  time: { name: 'OrderOperators', operators: operatorsByKind.time, bare: 'value' },
  boolean: { name: 'EqualityOperators', operators: operatorsByKind.boolean, bare: 'value' },
  list: { name: 'ListOperators', operators: operatorsByKind.list, bare: 'value' },
  any: { name: 'AnyOperators', operators: operatorsByKind.any, bare: 'string | number | boolean' },
  opaque: { name: 'EqualityOperators', operators: operatorsByKind.opaque, bare: null },
  reference: { name: 'ListOperators', operators: operatorsOfReferences, bare: 'string' },
};

const lists: ReadonlySet<Operator> = new Set(['in', 'nin', 'all']);
const texts: ReadonlySet<Operator> = new Set(['contains', 'starts_with', 'ends_with']);

/** The declarations of all these types. */
export function operatorDeclarations(): string {
  const byName = new Map(Object.values(operatorTypes).map((each) => [each.name, each]));
  return [...byName.values()]
    .map(({ name, operators }) => {
      const members = operators.map((operator) => `  readonly ${operator}?: ${operandText(operator)};\n`);
      return `export interface ${name}<Value> {\n${members.join('')}}\n`;
    })
    .join('\n');
}

function operandText(operator: Operator): string {
  if (operator === 'exists') return 'boolean';
  if (lists.has(operator)) return 'readonly Value[]';
  return texts.has(operator) ? 'string' : 'Value';
}
