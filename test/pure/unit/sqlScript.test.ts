import { describe, expect, it } from '@jest/globals';
import { migrationsDirectory, readMigrations } from '../../../src/database/migrations/migrationStatus.ts';
import { splitStatements } from '../../../src/database/migrations/sqlScript.ts';

describe('the statements of a script', () => {
  it('statements of a script end at semicolons, and empty ones are left out', () => {
    expect(splitStatements('SELECT 1; ;\nSELECT 2;\n-- the end\n')).toEqual(['SELECT 1', 'SELECT 2']);
    expect(splitStatements('SELECT 1')).toEqual(['SELECT 1']);
    expect(splitStatements('')).toEqual([]);
  });

  it('semicolons in strings, names, comments and bodies of functions do not end a statement', () => {
    const statements = [
      `SELECT 'a;''b', "c;""d", E'e\\';'`,
      "CREATE FUNCTION f() RETURNS INT LANGUAGE plpgsql AS $$\nBEGIN\n    RETURN 1; -- it's one\nEND\n$$",
      'DO $do$ BEGIN PERFORM $$a;$$; END $do$',
      '-- a comment; of the statement\nSELECT /* ; */ $1 AS a$b$',
    ];
    expect(splitStatements(statements.join(';\n') + ';\n')).toEqual(statements);
  });

  it('the statements of the migrations add up to their scripts', () => {
    for (const { name, sql } of readMigrations(migrationsDirectory)) {
      const joined = splitStatements(sql).join(';\n');
      const squeezed = (text: string): string => text.replaceAll(/[\s;]+/g, ' ').trim();
      expect([name, squeezed(joined)]).toEqual([name, squeezed(sql)]);
    }
  });
});
