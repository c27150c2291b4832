// Explains a name that is not a field's, if it consists of a field and a wrong operator, or an operator in another
// notation: `year.greater`, `year[gte]` (docs/contract.md §5.13).
import { comparableField } from '../../entries/comparable.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { nearestName } from '../../base/nearestName.ts';
import { restName } from './fieldNames.ts';
import { isOperator, type Operator } from './filter.ts';
import { operatorsByKind, operatorsOfReferences } from './operators.ts';

/** The notation of a comparison: a parameter of a URL, REST's `where`, or GraphQL's. */
export type Notation = 'url' | 'where' | 'graphql';

interface NameScope {
  readonly channel: Pick<Channel, 'fields'>;
  /** Whether the caller may read `_owner` and `_acl`: otherwise these are treated like unknown fields. */
  readonly mayReadPrivate: boolean;
  readonly notation: Notation;
  /** The reference field that leads to the channel, with a dot; empty for the list's own channel. */
  readonly path: string;
}

/** The spelling of a field with an operator in each notation. */
const spellings: Record<Notation, (field: string, operator: Operator) => string> = {
  url: (field, operator) => JSON.stringify(`${field}.${operator}`),
  where: (field, operator) => `{${JSON.stringify(field)}: {"${operator}": …}}`,
  graphql: (field, operator) => `field: ${JSON.stringify(field)}, op: ${operator.toUpperCase()}`,
};

/**
 * Explains the operator in a name.
 * @returns null if the name does not begin with a field that the caller may compare by
 */
export function explainOperator(name: string, { channel, mayReadPrivate, notation, path }: NameScope): string | null {
  const match = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? /^(.+)\.([^.]*)$/.exec(name);
  if (match === null) return null;
  const [, head = '', word = ''] = match;
  const field = notation === 'graphql' ? restName(head, channel) : head;
  const operators = operatorsOf(field, channel, mayReadPrivate);
  if (operators === null) return null;
  const spell = (operator: Operator): string => spellings[notation](path + head, operator);
  const operator = operators.find((operator) => operator === word.toLowerCase());
  if (operator !== undefined) return `${JSON.stringify(path + name)} is written ${spell(operator)} here.`;
  const nearest = nearestName(word, operators);
  const hint = nearest !== null && isOperator(nearest) ? `; did you mean ${spell(nearest)}?` : '.';
  const all = (notation === 'graphql' ? operators.map((each) => each.toUpperCase()) : operators).join(', ');
  return `${JSON.stringify(word)} is no operator of ${JSON.stringify(path + head)}; it has ${all}${hint}`;
}

/** Whether a name is a field's with an operator in brackets, as other services write it. */
export function hasBracketedOperator(name: string): boolean {
  const [, word = ''] = /^[^[\]]+\[([^[\]]*)\]$/.exec(name) ?? [];
  return isOperator(word);
}

/** The operators of a field; null if the caller may know of no such field. */
function operatorsOf(
  name: string,
  channel: Pick<Channel, 'fields'>,
  mayReadPrivate: boolean,
): readonly Operator[] | null {
  if (compiledFields(channel).references.has(name)) return operatorsOfReferences;
  const field = comparableField(name, channel, mayReadPrivate);
  return field && operatorsByKind[field.kind];
}
