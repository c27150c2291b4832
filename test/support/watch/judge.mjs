// What is wrong with a statement, in the light of docs/contract.md §1: every statement that touches a site's table names its site.
//
// SELECT, UPDATE and DELETE compare the table's site_id with a value that was given, or with the site_id of something that was
// found so; INSERT gives it. A SELECT on entries has a LIMIT, or finds one entry by its key, unless it only counts or only asks
// whether there are any. What PostgreSQL's parser refuses, and names a site's table, is wrong, too.
import { loadModule, parseSync } from 'libpg-query';
import { isQuery, isTied, queriesIn } from './queries.mjs';

await loadModule();

/** A statement of a test that breaks the rules knowingly says so in this comment. No file of src/ may hold it. */
export const testMark = '-- test';

/** Keys of an entry, in addition to its site. */
const entryKeys = [['id'], ['short_id'], ['channel_uid', 'slug']];

/** Statements that touch no table: to define a function runs nothing of it. */
const harmless = [
  'TransactionStmt',
  'VariableSetStmt',
  'VariableShowStmt',
  'ListenStmt',
  'UnlistenStmt',
  'CheckPointStmt',
  'CreateFunctionStmt',
];

export class Judge {
  #siteTables;
  #exceptions;

  /**
   * @param siteTables the names of the sites' tables
   * @param exceptions { matches(text), reason }: what may be sent as it is
   */
  constructor(siteTables, exceptions = []) {
    this.#siteTables = new Set(siteTables);
    this.#exceptions = exceptions;
  }

  /** The faults of a text of one or more statements, in words. */
  faultsOf(text) {
    if (text.includes(testMark) || this.#exceptions.some(({ matches }) => matches(text))) return [];
    let statements;
    try {
      statements = parseSync(text).stmts ?? [];
    } catch (error) {
      return this.#isNamedIn(text) ? [`not understood: ${error.message}`] : [];
    }
    return statements.flatMap(({ stmt }) => this.#faultsOfOne(stmt.ExplainStmt?.query ?? stmt));
  }

  #faultsOfOne(statement) {
    if (!isQuery(statement)) {
      const [kind] = Object.keys(statement);
      const isFault = !harmless.includes(kind) && stringsIn(statement).some((text) => this.#isNamedIn(text));
      return isFault ? [`is not a query, and names a site’s table: ${kind}`] : [];
    }
    const queries = queriesIn(statement);
    const faults = queries.flatMap((query) => this.#faultsOfQuery(query));
    const seen = new Set(queries.flatMap(({ relations }) => relations.map(({ node }) => node)));
    const isUnseen = tablesIn(statement).some((node) => this.#siteTables.has(node.relname) && !seen.has(node));
    return isUnseen ? [...faults, 'names a site’s table where the judge does not see it'] : faults;
  }

  #faultsOfQuery(query) {
    const { verb, relations, statement } = query;
    return relations
      .filter((relation) => this.#isSites(relation))
      .flatMap((relation) => {
        const { name, node } = relation;
        const movesTo = node === statement.relation ? setsOf(statement) : [];
        const moves = movesTo.includes('site_id') ? [`UPDATE that moves rows of ${name} to another site`] : [];
        if (verb === 'INSERT') {
          return namesIn(statement.cols).includes('site_id')
            ? moves
            : [`INSERT into ${name} without site_id`, ...moves];
        }
        const isTiedToSite = isTied(query, relation, 'site_id', (column) => this.#isSafe(column));
        const untied = isTiedToSite ? [] : [`${verb} on ${name} that does not compare its site_id`];
        const isUnbounded = name === 'entries' && verb === 'SELECT' && !isBounded(query, relation);
        return [...untied, ...moves, ...(isUnbounded ? ['SELECT on entries with neither LIMIT nor a unique key'] : [])];
      });
  }

  #isSites({ kind, name }) {
    return kind === 'table' && this.#siteTables.has(name);
  }

  /** Whether it is the site_id of a function, or of a query that reads a site's table or none at all. */
  #isSafe({ relation, name }) {
    return name === 'site_id' && relation.kind !== 'table' && this.#givesOwnSite(relation);
  }

  #givesOwnSite({ kind, queries }) {
    if (kind === 'function') return true;
    const relations = queries.flatMap((query) => query.relations);
    const tables = relations.filter((relation) => relation.kind === 'table');
    return tables.length === 0
      ? relations.every((relation) => this.#givesOwnSite(relation))
      : tables.some((relation) => this.#isSites(relation));
  }

  /** Whether a text has the name of a site's table anywhere. */
  #isNamedIn(text) {
    return [...this.#siteTables].some((table) => new RegExp(`\\b${table}\\b`, 'i').test(text));
  }
}

/** The nodes of a tree that name a table; the clause FOR UPDATE OF names relations that stand elsewhere. */
function tablesIn(node) {
  if (typeof node !== 'object' || node === null) return [];
  const found = Object.entries(node).flatMap(([name, value]) => (name === 'lockingClause' ? [] : tablesIn(value)));
  return node.relname === undefined ? found : [node, ...found];
}

function stringsIn(node) {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(stringsIn) : [];
}

function namesIn(targets = []) {
  return targets.map(({ ResTarget: { name } }) => name);
}

/** The columns that an UPDATE sets, or an INSERT on a conflict. */
function setsOf({ cols, targetList, onConflictClause }) {
  return namesIn(cols === undefined ? targetList : onConflictClause?.targetList);
}

/** A LIMIT, a key that was given, a count, or a question for which one row will do. */
function isBounded(query, relation) {
  const { role, outer, statement } = query;
  const isLimited = statement.limitCount !== undefined && statement.limitCount.A_Const?.isnull !== true;
  if (isLimited || ['exists', 'in'].includes(role) || isCount(statement)) return true;
  if (role === 'query' && outer.relations.length === 1 && isCount(outer.statement)) return true;
  return entryKeys.some((key) => key.every((column) => isTied(query, relation, column)));
}

/** Whether all that a SELECT gives are counts. */
function isCount({ targetList = [] }) {
  const values = targetList.map(({ ResTarget: { val } }) => val.TypeCast?.arg ?? val);
  return (
    values.length > 0 &&
    values.every(({ FuncCall }) => FuncCall?.funcname.at(-1).String.sval === 'count' && !FuncCall.over)
  );
}
