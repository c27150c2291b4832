// Filters as parameters of a URL: `year.gte=1990&genres.in=Noir,"Film, Short"` (docs/contract.md §5).
import { fail } from '../errors.ts';
import { couldBeField } from '../entries/comparable.ts';
import { assertBounded, isOperator, joinAnd, parseWhere, type Comparison, type Condition } from './filter.ts';

/**
 * The condition that some parameters and `where` make together.
 * @throws bad_request where one can't be understood
 */
export function filterOf(parameters: Iterable<readonly [string, string]>, where: string | undefined): Condition {
  const conditions: Condition[] = [...parameters].map(([name, value]) => ofParameter(name, value));
  return assertBounded(joinAnd(where === undefined ? conditions : [...conditions, parseWhere(where)]));
}

/** What lists take besides comparisons: no field can have such a name. */
export const listParameters: ReadonlySet<string> = new Set([
  ...['page', 'per_page', 'cursor', 'sort', 'where', 'q', 'only', 'include', 'use_acl'],
]);

/** The last segment of a name is an operator where it can be one. */
function ofParameter(name: string, value: string): Comparison {
  if (listParameters.has(name)) fail('bad_request', `The parameter ${name} is not known here.`);
  const dot = name.lastIndexOf('.');
  const last = name.slice(dot + 1);
  const [field, op] = dot > 0 && isOperator(last) ? [name.slice(0, dot), last] : [name, 'eq' as const];
  if (!couldBeField(field)) fail('bad_request', `The parameter ${JSON.stringify(name)} is not known here.`);
  const isList = op === 'in' || op === 'nin' || op === 'all';
  return { field, op, value: isList ? commaList(name, value) : value, isText: true };
}

/**
 * The values of a comma list. One that holds a comma stands in double quotes, where a quote is written twice.
 * @throws bad_request where quotes are left open, or something follows a closing one
 */
export function commaList(name: string, text: string): string[] {
  const values: string[] = [];
  let at = 0;
  for (;;) {
    const [value, end] = text.startsWith('"', at) ? quoted(name, text, at) : plain(text, at);
    values.push(value);
    if (end >= text.length) return values;
    at = end + 1;
  }
}

function plain(text: string, at: number): [string, number] {
  const comma = text.indexOf(',', at);
  const end = comma === -1 ? text.length : comma;
  return [text.slice(at, end), end];
}

function quoted(name: string, text: string, at: number): [string, number] {
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
