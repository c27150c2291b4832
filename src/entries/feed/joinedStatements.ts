// Coalesces equal statements of readers that one change wakes: a thousand followers of a site request the same rows.
import type { EntryStatements } from '../../database/statements.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** Runs a statement about a site, a read or a write, in a slot. */
type Enter = <Row>(site: string, how: keyof EntryStatements, statement: () => Promise<Row[]>) => Promise<Row[]>;

/**
 * Runs a statement once for all readers that request it before it begins, so that no reader gets rows older than its
 * request. Statements of readers with different access are never equal, because they contain the access.
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
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting as Promise<Row[]>;
    const run = (): Promise<Row[]> => this.#statements(site)[how]<Row>(statement);
    const enter = (begin: () => Promise<Row[]>): Promise<Row[]> => this.#enter(site, how, begin);
    const rows = this.#run<Row>(key, enter, run);
    this.#waiting.set(key, rows);
    return rows;
  }

  async #run<Row>(
    key: string,
    enter: (begin: () => Promise<Row[]>) => Promise<Row[]>,
    run: () => Promise<Row[]>,
  ): Promise<Row[]> {
    let hasBegun = false;
    const begin = (): void => {
      if (!hasBegun) this.#waiting.delete(key);
      hasBegun = true;
    };
    await nextTurn();
    return enter(() => {
      begin();
      return run();
      // The statement may be refused before it begins.
    }).finally(begin);
  }
}

function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
