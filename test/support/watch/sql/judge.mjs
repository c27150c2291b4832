// What is wrong with a statement, in the light of docs/contract.md §1: every statement that touches a site's table names its site.
//
// SELECT, UPDATE and DELETE compare the table's site_id with a value that was given, or with the site_id of something that was
// found so; INSERT gives it. A SELECT on entries has a LIMIT, or finds one entry by its key, unless it only counts or only asks
// whether there are any. What the judge does not understand, and names a site's table, is wrong, too.
import { levelsOf } from './levels.mjs';
import { isTied } from './ties.mjs';
import { isGroup, isSign, isWord, NotSql, readTokens, split } from './tokens.mjs';

/** A statement of a test that breaks the rules knowingly says so in this comment. No file of src/ may hold it. */
export const testMark = '-- test';

/** Keys of an entry, besides its site. */
const entryKeys = [['id'], ['short_id'], ['channel_uid', 'slug']];

/** Statements that touch no table. */
const harmless = [
  'begin',
  'commit',
  'rollback',
  'savepoint',
  'release',
  'set',
  'show',
  'listen',
  'unlisten',
  'checkpoint',
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
    try {
      const statements = split(readTokens(text), (token) => isSign(token, ';'));
      return statements.filter((tokens) => tokens.length > 0).flatMap((tokens) => this.#faultsOfOne(tokens));
    } catch (error) {
      // A text that goes beyond the grammar that is known, or whose end is missing.
      if (!(error instanceof NotSql || error instanceof TypeError)) throw error;
      return this.#names(text) ? [`not understood: ${error.message}`] : [];
    }
  }

  #faultsOfOne(tokens) {
    const query = isWord(tokens[0], 'explain') ? withoutExplain(tokens) : tokens;
    if (isGroup(query[0]) || isWord(query[0], 'select', 'insert', 'update', 'delete', 'with', 'values')) {
      const levels = levelsOf(query);
      const faults = levels.flatMap((level) => this.#faultsOfLevel(level));
      const seen = levels.flatMap(({ relations }) => relations).filter((relation) => this.#isSites(relation)).length;
      if (seen !== this.#mentions(query)) faults.push('names a site’s table where the judge does not see it');
      return faults;
    }
    if (isWord(query[0], ...harmless)) return [];
    return this.#names(flat(query)) ? [`is no query, and names a site’s table: ${query[0].text}`] : [];
  }

  #faultsOfLevel(level) {
    if (level.verb === 'insert') {
      const [{ name }] = level.relations;
      const isMissing = this.#isSites(level.relations[0]) && level.columns?.includes('site_id') !== true;
      return isMissing ? [`INSERT into ${name} without site_id`] : [];
    }
    return level.relations.flatMap((relation, index) => {
      if (!this.#isSites(relation)) return [];
      const { name } = relation;
      const tied = isTied(level, index, 'site_id', (other, column) => column === 'site_id' && this.#isSafe(other));
      const faults = tied ? [] : [`${level.verb.toUpperCase()} on ${name} that does not compare its site_id`];
      if (level.set && index === 0 && setsSite(level.set))
        faults.push(`UPDATE that moves rows of ${name} to another site`);
      if (name === 'entries' && level.verb === 'select' && !isBounded(level, index)) {
        faults.push('SELECT on entries with neither LIMIT nor a unique key');
      }
      return faults;
    });
  }

  #isSites({ kind, name }) {
    return kind === 'table' && this.#siteTables.has(name);
  }

  /** Whether what a query or function gives as site_id is of sites that were given: it reads a site's table, or no table. */
  #isSafe({ kind, levels = [] }) {
    if (kind === 'function') return true;
    const relations = levels.flatMap((level) => level.relations);
    const tables = relations.filter((relation) => relation.kind === 'table');
    return tables.length === 0
      ? relations.every((each) => this.#isSafe(each))
      : tables.some((each) => this.#isSites(each));
  }

  /** How often a site's table is named as a relation: not as the qualifier of a column, nor behind AS. */
  #mentions(tokens) {
    return (
      tokens.filter((token, index) => {
        if (token.kind !== 'word' || !this.#siteTables.has(token.text) || isSign(tokens[index + 1], '.')) return false;
        if (isWord(tokens[index - 1], 'as')) return false;
        return !isSign(tokens[index - 1], '.') || tokens[index - 2]?.text === 'public';
      }).length + tokens.reduce((sum, token) => sum + (token.kind === 'group' ? this.#mentions(token.items) : 0), 0)
    );
  }

  /** Whether a text has the name of a site's table anywhere. */
  #names(text) {
    return [...this.#siteTables].some((table) => new RegExp(`\\b${table}\\b`, 'i').test(text));
  }
}

function flat(tokens) {
  return tokens.map((token) => (token.kind === 'group' ? flat(token.items) : token.text)).join(' ');
}

function withoutExplain(tokens) {
  const at = tokens.findIndex((token) => isWord(token, 'select', 'insert', 'update', 'delete', 'with', 'values'));
  return tokens.slice(at);
}

/** Whether an UPDATE's SET has site_id among its columns, alone or in a row. */
function setsSite(tokens) {
  const targets = split(tokens, (token) => isSign(token, ',')).map(([first]) => first);
  return targets
    .flatMap((first) => (isGroup(first) ? first.items : [first]))
    .some((token) => token?.text === 'site_id');
}

/** A LIMIT, a key that was given, a count, or a question for which one row will do. */
function isBounded(level, index) {
  if (level.isLimited || ['exists', 'in'].includes(level.role) || isCount(level)) return true;
  const { role, outer } = level;
  if (role === 'query' && outer?.relations.length === 1 && isCount(outer)) return true;
  return entryKeys.some((key) => key.every((column) => isTied(level, index, column)));
}

/** Whether all that a SELECT gives are counts. */
function isCount({ list = [] }) {
  const columns = split(list, (token) => isSign(token, ','));
  return columns.every(([first, second, ...rest]) => {
    const isCast = rest.every((token) => token.kind === 'word' || isSign(token, '::'));
    return isWord(first, 'count') && isGroup(second) && isCast;
  });
}
