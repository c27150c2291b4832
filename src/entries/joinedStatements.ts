// Joins equal statements of readers who are woken at the same time: a thousand who follow one site ask for the same rows.
import type { EntryStatements } from '../database/statements.ts';
import { nextTurn } from '../eventLoop.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** Runs a statement, which reads or writes, when it is its turn. */
type Enter = <Row>(statement: () => Promise<Row[]>, how: keyof EntryStatements) => Promise<Row[]>;

/**
 * Runs a statement once for all readers who ask for the same one before it begins, so that nobody gets rows that are older than
 * the request. Statements are equal only for readers who may see the same, because that is among their values.
 */
export class JoinedStatements {
  readonly #statements: (site: string) => EntryStatements;
  readonly #enter: Enter;
  /** The statements that have not begun. */
  readonly #waiting = new Map<string, Promise<unknown[]>>();

  /** @param statements runs statements about a site */
  constructor(statements: (site: string) => EntryStatements, enter: Enter) {
    this.#statements = statements;
    this.#enter = enter;
  }

  /** Runs statements about one site. */
  at(site: string): EntryStatements {
    return {
      read: (statement) => this.#join(site, 'read', statement),
      readPrepared: (statement) => this.#join(site, 'readPrepared', statement),
      write: (statement) => this.#join(site, 'write', statement),
    };
  }

  #join<Row>(site: string, how: keyof EntryStatements, statement: Prisma.Sql): Promise<Row[]> {
    const key = `${site} ${how} ${statement.sql} ${JSON.stringify(statement.values, writeBigint)}`;
    const known = this.#waiting.get(key);
    if (known) return known as Promise<Row[]>;
    const rows = this.#run<Row>(key, how, () => this.#statements(site)[how]<Row>(statement));
    this.#waiting.set(key, rows);
    return rows;
  }

  async #run<Row>(key: string, how: keyof EntryStatements, run: () => Promise<Row[]>): Promise<Row[]> {
    let hasBegun = false;
    const begin = (): void => {
      if (!hasBegun) this.#waiting.delete(key);
      hasBegun = true;
    };
    await nextTurn();
    return this.#enter(() => {
      begin();
      return run();
      // The statement may be refused before it begins.
    }, how).finally(begin);
  }
}

function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
