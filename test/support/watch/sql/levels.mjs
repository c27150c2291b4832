// Tokens of a statement → its levels: one for each SELECT, INSERT, UPDATE and DELETE in it, wherever it stands, with the
// relations that it names, its conditions, and the level around it. What is not understood is refused.
import { isGroup, isSign, isWord, NotSql, split } from './tokens.mjs';
import { readFrom } from './from.mjs';

/**
 * The levels of a query.
 * @param tokens from readTokens, without a semicolon
 * @throws {NotSql}
 */
export function levelsOf(tokens) {
  const levels = [];
  readQuery(tokens, { role: 'top', outer: null, tables: new Map(), levels });
  return levels;
}

/** Whether tokens begin as a query does. */
export function isQuery([first]) {
  if (isGroup(first)) return isQuery(first.items);
  return isWord(first, 'select', 'with', 'values', 'insert', 'update', 'delete');
}

/**
 * @param context { role, outer, tables, levels }: what the query is for, the level that it stands in, the names that WITH
 * gave, and where levels are gathered
 */
export function readQuery(tokens, context) {
  const [first] = tokens;
  if (isWord(first, 'with')) return readWith(tokens, context);
  if (isWord(first, 'insert')) return readInsert(tokens, context);
  if (isWord(first, 'update')) return readUpdate(tokens, context);
  if (isWord(first, 'delete')) return readDelete(tokens, context);
  const operations = split(tokens, (token) => isWord(token, 'union', 'intersect', 'except'));
  for (const part of operations) {
    const branch = isWord(part[0], 'all', 'distinct') ? part.slice(1) : part;
    if (isGroup(branch[0]) && isQuery(branch)) readQuery(branch[0].items, context);
    else if (isWord(branch[0], 'select')) readSelect(branch, context);
    else if (isWord(branch[0], 'values')) readNested(branch, newLevel('values', context));
    else throw new NotSql(`"${branch[0]?.text}" begins no query that is understood`);
  }
}

function newLevel(verb, { role, outer, tables, levels }) {
  const level = { verb, role, outer, tables, levels, relations: [], conditions: [], list: [], isLimited: false };
  levels.push(level);
  return level;
}

/** WITH name AS (…), … and the query that uses the names. */
function readWith(tokens, context) {
  const tables = new Map(context.tables);
  let at = isWord(tokens[1], 'recursive') ? 2 : 1;
  for (;;) {
    const { text: name } = tokens[at];
    at += isGroup(tokens[at + 1]) ? 2 : 1;
    if (!isWord(tokens[at], 'as')) throw new NotSql('WITH without AS');
    // MATERIALIZED, or NOT MATERIALIZED.
    while (tokens[at]?.kind === 'word') at += 1;
    const levels = [];
    const within = isWord(tokens[1], 'recursive') ? new Map(tables).set(name, { levels }) : new Map(tables);
    readQuery(tokens[at].items, { role: 'with', outer: context.outer, tables: within, levels });
    context.levels.push(...levels);
    tables.set(name, { levels });
    if (!isSign(tokens[at + 1], ',')) break;
    at += 2;
  }
  readQuery(tokens.slice(at + 1), { ...context, tables });
}

function readSelect(tokens, context) {
  const level = newLevel('select', context);
  const { head, from = [], where = [], limit = [], fetch, ...others } = clausesOf(tokens.slice(1));
  level.list = head;
  level.isLimited = fetch !== undefined || (limit.length > 0 && !isWord(limit[0], 'all', 'null'));
  readFrom(from, level);
  level.conditions.push({ tokens: where, upTo: Infinity, isLeft: false });
  for (const clause of [head, where, limit, ...Object.values(others)]) readNested(clause, level);
}

function readUpdate(tokens, context) {
  const level = newLevel('update', context);
  const set = tokens.findIndex((token) => isWord(token, 'set'));
  readFrom(tokens.slice(1, set), level);
  const { head, from = [], where = [], returning = [] } = clausesOf(tokens.slice(set + 1));
  level.set = head;
  readFrom(from, level);
  level.conditions.push({ tokens: where, upTo: Infinity, isLeft: false });
  for (const clause of [head, where, returning]) readNested(clause, level);
}

function readDelete(tokens, context) {
  const level = newLevel('delete', context);
  if (!isWord(tokens[1], 'from')) throw new NotSql('DELETE without FROM');
  const { head, using = [], where = [], returning = [] } = clausesOf(tokens.slice(2));
  readFrom(head, level);
  readFrom(using, level);
  level.conditions.push({ tokens: where, upTo: Infinity, isLeft: false });
  for (const clause of [where, returning]) readNested(clause, level);
}

function readInsert(tokens, context) {
  const level = newLevel('insert', context);
  const end = tokens.findIndex((token) => isGroup(token) || isWord(token, 'values', 'select', 'with', 'default'));
  readFrom(tokens.slice(2, end), level);
  const columns = isGroup(tokens[end]) && !isQuery(tokens[end].items) ? tokens[end].items : null;
  level.columns = columns && split(columns, (token) => isSign(token, ',')).map(([{ text }]) => text);
  const { head, conflict = [], returning = [] } = insertClauses(tokens.slice(columns ? end + 1 : end));
  if (isQuery(head) && !isWord(head[0], 'values')) readQuery(head, { ...context, role: 'insert', outer: level });
  else readNested(head, level);
  for (const clause of [conflict, returning]) readNested(clause, level);
}

/** What an INSERT takes in, what it does on a conflict, and what it returns. */
function insertClauses(tokens) {
  const [head, ...more] = cut(tokens, (token, index) => {
    if (isWord(token, 'on') && isWord(tokens[index + 1], 'conflict')) return 'conflict';
    return isWord(token, 'returning') ? 'returning' : null;
  });
  return { head: head.tokens, ...Object.fromEntries(more.map(({ name, tokens }) => [name, tokens])) };
}

const clauseWords = ['where', 'having', 'window', 'limit', 'offset', 'fetch', 'returning', 'using', 'from', 'for'];

/** Clauses by name; `head` is what comes before the first of them. */
function clausesOf(tokens) {
  const parts = cut(tokens, (token, index) => {
    const before = tokens[index - 1];
    // A name, or the word that only looks like a clause.
    if (isSign(before, '.') || isWord(before, 'as')) return null;
    if (isWord(token, 'group', 'order') && isWord(tokens[index + 1], 'by')) return token.text;
    if (isWord(token, 'from') && isWord(before, 'distinct') && isWord(tokens[index - 2], 'is', 'not')) return null;
    if (isWord(token, 'using') && isGroup(tokens[index + 1])) return null;
    return isWord(token, ...clauseWords) ? token.text : null;
  });
  return Object.fromEntries(parts.map(({ name, tokens }) => [name, tokens]));
}

/** Cuts tokens where `nameOf` names what begins. */
function cut(tokens, nameOf) {
  const parts = [{ name: 'head', tokens: [] }];
  tokens.forEach((token, index) => {
    const name = nameOf(token, index);
    if (name === null) parts.at(-1).tokens.push(token);
    else parts.push({ name, tokens: [] });
  });
  return parts;
}

const roles = { exists: 'exists', in: 'in', any: 'in', some: 'in', all: 'in' };

/** Queries inside expressions. */
export function readNested(tokens, level) {
  tokens.forEach((token, index) => {
    if (token.kind !== 'group') return;
    const before = tokens[index - 1];
    const role = before?.bare === true ? (roles[before.text] ?? 'scalar') : 'scalar';
    if (isQuery(token.items)) {
      readQuery(token.items, { role, outer: level, tables: level.tables, levels: level.levels });
    } else readNested(token.items, level);
  });
}
