// Joins equal statements of readers who are woken at the same time: a thousand who follow one site ask for the same rows.
import type { EntryStatements } from '../../database/statements.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** Runs a statement about a site, which reads or writes, when it is its turn. */
type Enter = <Row>(site: string, how: keyof EntryStatements, statement: () => Promise<Row[]>) => Promise<Row[]>;

/**
 * Runs a statement once for all readers who ask for the same one before it begins, so that nobody gets rows that are older than
 * the request. Statements are equal only for readers who may see the same, because that is among their values.
 */
export class JoinedStatements {
  readonly #statements: (site: string) => EntryStatements;
  readonly #enter: Enter;
  /** The statements that have not begun. */
  readonly #waiting = new SingleFlight<unknown[]>();

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
    const rows = this.#waiting.run(key, async (close) => {
      await nextTurn();
      return this.#enter(site, how, () => {
        close();
        return this.#statements(site)[how]<Row>(statement);
      });
    });
    return rows as Promise<Row[]>;
  }
}

function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
