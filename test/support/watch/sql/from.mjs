// What stands in FROM, USING and behind UPDATE: relations, and the conditions that join them.
import { isGroup, isSign, isWord, NotSql, split } from './tokens.mjs';
import { isQuery, readNested, readQuery } from './levels.mjs';

/**
 * Adds the relations of a FROM to a level: { name, alias, kind, isNullable }, where kind is `table`, `with` (a name that WITH
 * gave), `query` or `function`; `levels` are those of a query. A LEFT JOIN makes its right side nullable: its condition says
 * nothing about the left.
 */
export function readFrom(tokens, level) {
  if (tokens.length === 0) return;
  for (const chain of split(tokens, (token) => isSign(token, ','))) {
    let rest = readRelation(chain, level, false);
    while (rest.length > 0) rest = readJoin(rest, level);
  }
}

const joinWords = ['inner', 'left', 'right', 'full', 'cross', 'natural', 'outer', 'join'];

function isJoin(tokens, index) {
  // LEFT and RIGHT are functions, too.
  return isWord(tokens[index], ...joinWords) && !isGroup(tokens[index + 1]);
}

/** One JOIN with its condition; gives what is behind it. */
function readJoin(tokens, level) {
  const join = tokens.findIndex((token) => isWord(token, 'join'));
  const words = tokens.slice(0, join);
  if (join < 0 || !words.every((token) => isWord(token, ...joinWords))) {
    throw new NotSql(`"${tokens[0].text}" in FROM is not understood`);
  }
  if (words.some((token) => isWord(token, 'right', 'full', 'natural'))) {
    throw new NotSql('RIGHT, FULL and NATURAL JOIN are not judged: write a LEFT JOIN');
  }
  const isLeft = words.some((token) => isWord(token, 'left'));
  const rest = readRelation(tokens.slice(join + 1), level, isLeft);
  if (isWord(rest[0], 'using')) return rest.slice(2);
  if (!isWord(rest[0], 'on')) return rest;
  const end = rest.findIndex((_token, index) => isJoin(rest, index));
  const condition = rest.slice(1, end < 0 ? undefined : end);
  level.conditions.push({ tokens: condition, upTo: level.relations.length - 1, isLeft });
  readNested(condition, level);
  return end < 0 ? [] : rest.slice(end);
}

/** One relation and its alias; gives what is behind it. */
function readRelation(tokens, level, isNullable) {
  let at = 0;
  while (isWord(tokens[at], 'lateral', 'only')) at += 1;
  const { relation, end } = isGroup(tokens[at]) ? queryAt(tokens, at, level) : namedAt(tokens, at, level);
  at = end;
  if (isWord(tokens[at], 'with') && isWord(tokens[at + 1], 'ordinality')) at += 2;
  const hasAs = isWord(tokens[at], 'as');
  if (hasAs) at += 1;
  const alias = tokens[at];
  if (alias?.kind === 'word' && (hasAs || !(isJoin(tokens, at) || isWord(alias, 'on', 'using', 'tablesample')))) {
    relation.alias = alias.text;
    at += isGroup(tokens[at + 1]) ? 2 : 1;
  }
  level.relations.push({ ...relation, isNullable });
  return tokens.slice(at);
}

function queryAt(tokens, at, level) {
  const { items } = tokens[at];
  if (!isQuery(items)) throw new NotSql('a JOIN in parentheses is not judged');
  const levels = [];
  readQuery(items, { role: 'query', outer: level, tables: level.tables, levels });
  level.levels.push(...levels);
  return { relation: { kind: 'query', name: null, alias: null, levels }, end: at + 1 };
}

function namedAt(tokens, at, level) {
  if (tokens[at]?.kind !== 'word') throw new NotSql('a relation without a name');
  const names = [tokens[at].text];
  let end = at + 1;
  for (; isSign(tokens[end], '.'); end += 2) names.push(tokens[end + 1].text);
  const name = names.at(-1);
  if (isGroup(tokens[end])) {
    readNested(tokens[end].items, level);
    return { relation: { kind: 'function', name, alias: name }, end: end + 1 };
  }
  if (isSign(tokens[end], '*')) end += 1;
  const query = names.length === 1 ? level.tables.get(name) : undefined;
  if (query) return { relation: { kind: 'with', name, alias: name, levels: query.levels }, end };
  return { relation: { kind: 'table', name, alias: name }, end };
}
