// Coalesces equal statements of readers that one change wakes: a thousand followers of a site request the same rows.
import type { EntryStatements } from '../../database/statements.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
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
