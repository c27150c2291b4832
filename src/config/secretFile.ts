// Secrets in files, as containers get them: DATABASE_URL_FILE names the file that has the value of DATABASE_URL.
import { readFileSync, statSync } from 'node:fs';

/** Bytes. A URL or a token is far smaller; a file that is larger was not meant. */
const maxSize = 65_536;

/**
 * Reads a secret from a file that has it in one line. An end of line at its end does not belong to it.
 * @throws Error that says what is wrong with the file, in one line and without anything of its content
 */
export function readSecretFile(path: string): string {
  const content = readContent(path).replace(/\r?\n$/, '');
  // An empty value would count as absent, and what is absent has a default.
  if (content.trim() === '') throw new Error(`the file ${path} is empty`);
  if (/[\r\n]/.test(content)) throw new Error(`the file ${path} must have one line, with nothing but the value`);
  return content;
}

function readContent(path: string): string {
  try {
    const status = statSync(path);
    // A pipe could keep the process waiting for ever.
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > maxSize) throw new Error(`it has more than ${maxSize} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`the file ${path} can't be read (${code ?? message})`, { cause: error });
  }
}
