// Scratch directories, and folders of migrations written for a test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new empty directory in another one; `removeScratch` deletes it. */
export function scratchDirectory(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'entryway-test-'));
  made.push(directory);
  return directory;
}

/** For afterEach or afterAll. */
export function removeScratch(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** A folder of migrations: name → SQL. */
export function migrationsFolder(migrations: Record<string, string>): string {
  const folder = scratchDirectory();
  writeMigrations(folder, migrations);
  return folder;
}

/** Adds migrations to a folder, or writes them anew. */
export function writeMigrations(folder: string, migrations: Record<string, string>): void {
  for (const [name, sql] of Object.entries(migrations)) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  }
}
