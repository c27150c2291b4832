// Programs that some tests need, and that may be missing: scripts/test.mjs then says which tests do not run.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const browsers = ['chromium', 'chromium-browser', 'google-chrome'];
/** Where programs are that are not in every user's PATH. */
const usualFolders = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** Finds the browser that the variable CHROMIUM names, or else an installed one; null if there is none. */
export function findChromium() {
  return process.env.CHROMIUM || findProgram(browsers);
}

/** Finds pgbouncer; null if it is not installed. */
export function findPgbouncer() {
  return findProgram(['pgbouncer']);
}

/** Finds orval, which generates clients from OpenAPI: the program that the variable ORVAL names. */
export function findOrval() {
  return process.env.ORVAL || null;
}

function findProgram(names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...usualFolders];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
