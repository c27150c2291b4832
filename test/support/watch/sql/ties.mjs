// What a level's conditions make sure of: which columns equal a value that was given, directly or by way of others.
import { isGroup, isSign, isWord, split } from './tokens.mjs';
import { isQuery } from './levels.mjs';

/** A value that the statement was given: a parameter or a literal. */
const given = '=';

/**
 * Whether a relation's column equals a value that was given, or a column of a query or function that `isSafe`.
 * @param index the relation's, in the level
 * @param isSafe tells of other relations whether their columns may be relied on
 */
export function isTied(level, index, column, isSafe = () => false) {
  const relation = level.relations[index];
  const start = `${depthOf(level)} ${relation.alias}.${column}`;
  const equalities = [...equalitiesFor(level, relation.isNullable ? index : -1)];
  for (let outer = level.outer; outer; outer = outer.outer) equalities.push(...equalitiesFor(outer, -1));
  const reached = new Set([start]);
  for (const side of reached) {
    for (const [one, other] of equalities) {
      if (one === side) reached.add(other);
      if (other === side) reached.add(one);
    }
  }
  return reached.has(given) || [...reached].some((side) => isSafeColumn(side, level, isSafe));
}

function isSafeColumn(side, level, isSafe) {
  const [, depth, alias, column] = /^(\d+) (.*)\.([^.]*)$/.exec(side) ?? [];
  for (let at = level; at; at = at.outer) {
    if (depthOf(at) !== Number(depth)) continue;
    const relation = at.relations.find((each) => each.alias === alias);
    if (relation && relation.kind !== 'table' && isSafe(relation, column)) return true;
  }
  return false;
}

/**
 * The equalities that hold wherever a row of the level does; for a nullable relation also those that joined it.
 * @param nullable its index, or -1
 */
function equalitiesFor(level, nullable) {
  const holds = level.conditions.filter(({ isLeft, upTo }) => !isLeft || upTo <= nullable);
  return holds.flatMap(({ tokens }) => [...equalitiesIn(tokens, level)].map((text) => text.split('\n')));
}

/** Each as its two sides, sorted, with a line break between. */
function equalitiesIn(tokens, level) {
  if (tokens.length === 1 && isGroup(tokens[0])) {
    return isQuery(tokens[0].items) ? new Set() : equalitiesIn(tokens[0].items, level);
  }
  const flat = withoutCases(tokens);
  const alternatives = split(flat, (token) => isWord(token, 'or'));
  if (alternatives.length > 1) {
    const [first, ...others] = alternatives.map((each) => equalitiesIn(each, level));
    return new Set([...first].filter((equality) => others.every((other) => other.has(equality))));
  }
  const all = split(flat, (token) => isWord(token, 'and'));
  if (all.length > 1) return new Set(all.flatMap((each) => [...equalitiesIn(each, level)]));
  return new Set(comparison(flat, level).map((sides) => [...sides].sort().join('\n')));
}

/** What stands between CASE and END is nothing that holds. */
function withoutCases(tokens) {
  const kept = [];
  let depth = 0;
  for (const token of tokens) {
    if (isWord(token, 'case')) depth += 1;
    if (depth === 0) kept.push(token);
    else if (isWord(token, 'end') && (depth -= 1) === 0) kept.push({ kind: 'case', text: 'CASE' });
  }
  return kept;
}

/** `one = other`, `one IN (…)`, and the same of rows. */
function comparison(tokens, level) {
  const at = tokens.findIndex((token) => isSign(token, '=') || isWord(token, 'in'));
  if (at < 1) return [];
  const left = operand(tokens.slice(0, at), level);
  if (left === null) return [];
  if (isSign(tokens[at], '=')) return pairs(left, operand(tokens.slice(at + 1), level));
  const list = tokens[at + 1];
  if (tokens.length !== at + 2 || !isGroup(list) || isQuery(list.items)) return [];
  const choices = list.items.length === 0 ? [] : split(list.items, (token) => isSign(token, ','));
  const [first = [], ...others] = choices.map((each) => pairs(left, operand(each, level)));
  const has = (found, [one, other]) => found.some((pair) => pair[0] === one && pair[1] === other);
  return first.filter((pair) => others.every((other) => has(other, pair)));
}

function pairs(left, right) {
  if (right === null || left.length !== right.length) return [];
  return left.map((one, index) => [one, right[index]]).filter((pair) => !pair.includes(null));
}

/** A column or a value as a row of one; a row; null for anything else. */
function operand(tokens, level) {
  const [first] = tokens;
  if (isWord(first, 'row') && isGroup(tokens[1])) return operand(tokens.slice(1), level);
  if (isGroup(first)) {
    if (isQuery(first.items) || !isCast(tokens.slice(1))) return null;
    return split(first.items, (token) => isSign(token, ',')).map((part) => operand(part, level)?.[0] ?? null);
  }
  if (first?.kind === 'parameter' || first?.kind === 'literal') return isCast(tokens.slice(1)) ? [given] : null;
  if (first?.kind !== 'word') return null;
  const names = [first.text];
  let end = 1;
  for (; isSign(tokens[end], '.'); end += 2) names.push(tokens[end + 1]?.text);
  return isCast(tokens.slice(end)) ? [columnOf(names.slice(-2), level)] : null;
}

/** Nothing, or `::type`. */
function isCast(tokens) {
  if (tokens.length === 0) return true;
  return isSign(tokens[0], '::') && tokens.slice(1).every((token) => ['word', 'group'].includes(token.kind));
}

/** A column by the depth and alias of its relation; null where it can't be told. */
function columnOf(names, level) {
  if (names.length === 1) {
    const [only, ...others] = level.relations;
    return only && others.length === 0 ? `${depthOf(level)} ${only.alias}.${names[0]}` : null;
  }
  for (let at = level; at; at = at.outer) {
    if (at.relations.some(({ alias }) => alias === names[0])) return `${depthOf(at)} ${names[0]}.${names[1]}`;
  }
  return null;
}

function depthOf({ outer }) {
  return outer === null ? 0 : 1 + depthOf(outer);
}
