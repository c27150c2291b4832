// Says of a name that is no field whether it is a field's with a wrong operator, or with one in another notation: `year.greater`,
// `year[gte]` (docs/contract.md §5.13).
import { comparableField } from '../../entries/comparable.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { nearestName } from '../../base/nearestName.ts';
import { restName } from './fieldNames.ts';
import { isOperator, type Operator } from './filter.ts';
import { operatorsByKind, operatorsOfReferences } from './operators.ts';

/** Where a name was sent: in a parameter of a URL, in REST's `where`, or in GraphQL's. */
export type Notation = 'url' | 'where' | 'graphql';

interface NameScope {
  readonly channel: Pick<Channel, 'fields'>;
  /** Whether the caller may read `_owner` and `_acl`: of a field that it may not know, nothing is told. */
  readonly mayReadPrivate: boolean;
  readonly notation: Notation;
  /** The reference that leads to the channel, with a dot; empty where it is the list's own. */
  readonly path: string;
}

/** How an operator is written with a field in each notation. */
const spellings: Record<Notation, (field: string, operator: Operator) => string> = {
  url: (field, operator) => JSON.stringify(`${field}.${operator}`),
  where: (field, operator) => `{${JSON.stringify(field)}: {"${operator}": …}}`,
  graphql: (field, operator) => `field: ${JSON.stringify(field)}, op: ${operator.toUpperCase()}`,
};

/**
 * What is wrong with the operator in a name.
 * @returns null where the name does not begin with a field that the caller may compare by
 */
export function explainOperator(name: string, { channel, mayReadPrivate, notation, path }: NameScope): string | null {
  const parts = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? /^(.+)\.([^.]*)$/.exec(name);
  if (parts === null) return null;
  const [, head = '', word = ''] = parts;
  const field = notation === 'graphql' ? restName(head, channel) : head;
  const operators = operatorsOf(field, channel, mayReadPrivate);
  if (operators === null) return null;
  const spell = (operator: Operator): string => spellings[notation](path + head, operator);
  const meant = operators.find((operator) => operator === word.toLowerCase());
  if (meant !== undefined) return `${JSON.stringify(path + name)} is written ${spell(meant)} here.`;
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

/** The operators of a field; null where there is none that the caller may know. */
function operatorsOf(
  name: string,
  channel: Pick<Channel, 'fields'>,
  mayReadPrivate: boolean,
): readonly Operator[] | null {
  if (compiledFields(channel).references.has(name)) return operatorsOfReferences;
  const field = comparableField(name, channel, mayReadPrivate);
  return field && operatorsByKind[field.kind];
}
