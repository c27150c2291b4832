// Parses filters that are parameters of a URL: `year.gte=1990&genres.in=Noir,"Film, Short"` (docs/contract.md §5).
import type { Limits } from '../../config/config.ts';
import { fail } from '../../base/errors.ts';
import { couldBeField } from '../../entries/comparable.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { isListParameter, type ListParameter } from './listParameters.ts';
import { listMemberNames } from './fieldNames.ts';
import { assertBounded, isOperator, joinAnd, parseWhere, type Comparison, type Condition } from './filter.ts';
import { explainOperator } from './wrongOperator.ts';

/**
 * Joins the comparisons of parameters and of `where` in one condition.
 * @param accepted the parameters of the request that are not comparisons
 * @param limits of the JSON in `where`
 * @throws bad_request if one of them is malformed
 */
export function parseFilterParameters(
  parameters: Iterable<readonly [string, string]>,
  where: string | undefined,
  accepted: readonly ListParameter[],
  limits: Limits['json'],
): Condition {
  const conditions: Condition[] = [...parameters].map(([name, value]) => parseParameter(name, value, accepted));
  return assertBounded(joinAnd(where === undefined ? conditions : [...conditions, parseWhere(where, limits)]));
}

/**
 * Parses a comparison. The last segment of the name is its operator if it can be one; otherwise the operator is `eq`.
 */
function parseParameter(name: string, value: string, accepted: readonly ListParameter[]): Comparison {
  if (isListParameter(name)) fail('bad_request', `${JSON.stringify(name)} is not a parameter here.`);
  const dot = name.lastIndexOf('.');
  const last = name.slice(dot + 1);
  const [field, op] = dot > 0 && isOperator(last) ? [name.slice(0, dot), last] : [name, 'eq' as const];
  if (!couldBeField(field)) {
    // The caller is not identified yet, so that no private member is suggested.
    const notation = 'url';
    const wrong = explainOperator(field, { channel: { fields: [] }, mayReadPrivate: false, notation, path: '' });
    if (wrong !== null) fail('bad_request', wrong);
    const hint = didYouMean(nearestName(field, [...accepted, ...listMemberNames(false)]));
    fail('bad_request', `${JSON.stringify(field)} is neither a parameter here nor a field to compare by${hint}`);
  }
  const isList = op === 'in' || op === 'nin' || op === 'all';
  return { field, op, value: isList ? parseCommaList(name, value) : value, isText: true };
}

/**
 * Parses a comma list. A value with a comma stands in double quotes; a quote inside is doubled.
 * @throws bad_request if a quote is not closed, or is followed by another character than a comma
 */
export function parseCommaList(name: string, text: string): string[] {
  const values: string[] = [];
  let at = 0;
  for (;;) {
    const [value, end] = text.startsWith('"', at) ? parseQuoted(name, text, at) : parsePlain(text, at);
    values.push(value);
    if (end >= text.length) return values;
    at = end + 1;
  }
}

function parsePlain(text: string, at: number): [string, number] {
  const comma = text.indexOf(',', at);
  const end = comma === -1 ? text.length : comma;
  return [text.slice(at, end), end];
}

function parseQuoted(name: string, text: string, at: number): [string, number] {
  let value = '';
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) fail('bad_request', `${name}: a double quote is not closed.`);
    value += text.slice(from, quote);
    const isDoubled = text.startsWith('"', quote + 1);
    if (isDoubled) value += '"';
    else if (quote + 1 < text.length && text[quote + 1] !== ',') {
      fail('bad_request', `${name}: a comma must follow a closing double quote.`);
    } else return [value, quote + 1];
    from = quote + 2;
  }
}
