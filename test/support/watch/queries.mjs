// A statement's parse tree → its queries: every SELECT, INSERT, UPDATE and DELETE in it, wherever it stands, with the relations
// that it reads and the columns that its conditions compare.

/** Stands in an equality for a value that the statement was given: a parameter or a literal. */
const given = { relation: null, name: null };

const verbs = { SelectStmt: 'SELECT', InsertStmt: 'INSERT', UpdateStmt: 'UPDATE', DeleteStmt: 'DELETE' };

/** What a query inside an expression is for; anything else is a value. */
const roles = { EXISTS_SUBLINK: 'exists', ANY_SUBLINK: 'in', ALL_SUBLINK: 'in' };

/** The query of `= ANY (ARRAY (SELECT …))`, which is for the same as that of `IN (SELECT …)`; null for another node. */
function queryOfArray({ A_Expr: expression }) {
  const array = expression?.kind === 'AEXPR_OP_ANY' ? expression.rexpr.SubLink : undefined;
  return array?.subLinkType === 'ARRAY_SUBLINK' ? array.subselect : null;
}

/** Whether a node of a tree is a query. */
export function isQuery(node) {
  return Object.keys(node).some((kind) => kind in verbs);
}

/**
 * The queries of a statement.
 * @param node a SELECT, INSERT, UPDATE or DELETE of the tree that libpg-query gives
 * @returns a list of { verb, role, outer, relations, equalities, statement }: `outer` is the query around it; a relation is
 * { kind, name, alias, queries, node }, where kind is `table`, `with` (a name that WITH gave), `query` or `function`
 */
export function queriesIn(node) {
  const queries = [];
  readQuery(node, { role: 'top', outer: null, names: new Map(), queries });
  return queries;
}

function readQuery(node, { role, outer, names: known, queries }) {
  const [[kind, statement]] = Object.entries(node);
  const names = readWith(statement.withClause, { outer, names: known, queries });
  if (kind === 'SelectStmt' && statement.op !== 'SETOP_NONE') {
    const branches = [statement.larg, statement.rarg];
    for (const branch of branches) readQuery({ SelectStmt: branch }, { role, outer, names, queries });
    return;
  }
  const query = { verb: verbs[kind], role, outer, names, queries, relations: [], equalities: [], statement };
  queries.push(query);
  const { relation, fromClause = [], usingClause = [] } = statement;
  if (relation) readFrom({ RangeVar: relation }, query);
  for (const item of [...fromClause, ...usingClause]) readFrom(item, query);
  query.equalities.push(...equalitiesIn(statement.whereClause, query).map((sides) => ({ sides, about: null })));
  readNested({ ...statement, withClause: null, fromClause: null, usingClause: null }, query);
}

/** The queries by the names that WITH gives them, with those that were known. */
function readWith({ ctes = [], recursive = false } = {}, { outer, names: known, queries }) {
  const names = new Map(known);
  for (const { CommonTableExpr: part } of ctes) {
    const found = [];
    const within = recursive ? new Map(names).set(part.ctename, []) : names;
    readQuery(part.ctequery, { role: 'with', outer, names: within, queries: found });
    queries.push(...found);
    names.set(part.ctename, found);
  }
  return names;
}

/** Queries inside expressions. */
function readNested(node, query, role = 'value') {
  if (typeof node !== 'object' || node === null) return;
  if (isQuery(node)) return readQuery(node, { ...query, role, outer: query });
  const array = queryOfArray(node);
  if (array !== null) {
    readNested(node.A_Expr.lexpr, query);
    return readNested(array, query, 'in');
  }
  for (const [kind, value] of Object.entries(node)) {
    readNested(value, query, kind === 'subselect' ? roles[node.subLinkType] : undefined);
  }
}

/** Reads what stands in a FROM into a query; gives the relations that were added. */
function readFrom(item, query) {
  const [[kind, node]] = Object.entries(item);
  if (kind === 'JoinExpr') return readJoin(node, query);
  const relation = { kind: 'table', name: node.relname, queries: [], node, columns: new Map() };
  if (kind === 'RangeVar') {
    const found = node.schemaname === undefined && query.names.get(node.relname);
    if (found) Object.assign(relation, { kind: 'with', queries: found });
  } else if (kind === 'RangeSubselect') {
    relation.kind = 'query';
    readQuery(node.subquery, { ...query, role: 'query', outer: query, queries: relation.queries });
    query.queries.push(...relation.queries);
  } else {
    relation.kind = 'function';
    readNested(node, query);
  }
  relation.alias = node.alias?.aliasname ?? node.relname;
  query.relations.push(relation);
  return [relation];
}

/** The condition of an outer join says nothing about the rows of the side that is kept whole. */
function readJoin({ larg, rarg, quals, jointype }, query) {
  const [left, right] = [readFrom(larg, query), readFrom(rarg, query)];
  const both = [...left, ...right];
  const about = { JOIN_INNER: both, JOIN_LEFT: right, JOIN_RIGHT: left }[jointype] ?? [];
  query.equalities.push(...equalitiesIn(quals, query).map((sides) => ({ sides, about })));
  readNested(quals, query);
  return both;
}

/** The pairs of sides that are equal wherever a condition is true. */
function equalitiesIn(node, query) {
  if (node?.BoolExpr) {
    const { boolop, args } = node.BoolExpr;
    if (boolop === 'NOT_EXPR') return [];
    const parts = args.map((each) => equalitiesIn(each, query));
    return boolop === 'AND_EXPR' ? parts.flat() : inAll(parts);
  }
  const { kind, name, lexpr, rexpr } = node?.A_Expr ?? {};
  if (name?.at(-1).String.sval !== '=') return [];
  const left = sidesOf(lexpr, query);
  if (kind === 'AEXPR_OP') return pairs(left, sidesOf(rexpr, query));
  if (kind === 'AEXPR_IN') return inAll(rexpr.List.items.map((each) => pairs(left, sidesOf(each, query))));
  return [];
}

/** Those of the first list that are in all. */
function inAll([first, ...others]) {
  const isIn = (list, sides) => list.some((pair) => pair.every((side) => sides.includes(side)));
  return first.filter((sides) => others.every((list) => isIn(list, sides)));
}

function pairs(left, right) {
  if (left.length !== right.length) return [];
  return left.map((side, index) => [side, right[index]]).filter((pair) => !pair.includes(null));
}

/** The members of a row, or the one value: columns, `given`, or null for anything else. */
function sidesOf(node, query) {
  return (node.RowExpr?.args ?? [node]).map((each) => sideOf(each, query));
}

function sideOf(node, query) {
  if (node.TypeCast) return sideOf(node.TypeCast.arg, query);
  if (node.ParamRef || (node.A_Const && !node.A_Const.isnull)) return given;
  const names = node.ColumnRef?.fields.map((field) => field.String?.sval) ?? [];
  const [name, alias] = names.reverse();
  if (name === undefined) return null;
  // Without an alias it can be told only where there is one relation.
  if (alias === undefined) return query.relations.length === 1 ? columnOf(query.relations[0], name) : null;
  for (let at = query; at; at = at.outer) {
    const relation = at.relations.find((each) => each.alias === alias);
    if (relation) return columnOf(relation, name);
  }
  return null;
}

/** The same object for the same column. */
function columnOf(relation, name) {
  if (!relation.columns.has(name)) relation.columns.set(name, { relation, name });
  return relation.columns.get(name);
}

/**
 * Whether a column equals, directly or by way of others, a value that was given, or a column that `isSafe`.
 * @param isSafe takes a column: { relation, name }
 */
export function isTied(query, relation, name, isSafe = () => false) {
  const equalities = [];
  for (let at = query; at; at = at.outer) equalities.push(...at.equalities);
  const reached = new Set([columnOf(relation, name)]);
  for (const side of reached) {
    for (const { sides, about } of equalities) {
      if (sides.includes(side) && (about?.includes(side.relation) ?? true)) sides.forEach((each) => reached.add(each));
    }
  }
  return [...reached].some((side) => side === given || isSafe(side));
}
