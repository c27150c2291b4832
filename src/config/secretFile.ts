// Secrets in files, as containers get them: DATABASE_URL_FILE names the file that has the value of DATABASE_URL.
import { readFileSync, statSync } from 'node:fs';

/** In bytes. A URL or a token is far smaller; a larger file is a mistake. */
const maxSize = 65_536;

/**
 * Reads a secret from a file that has it in one line. A final end of line does not belong to it.
 * @throws Error that describes the problem with the file, in one line and without its content
 */
export function readSecretFile(path: string): string {
  const content = readContent(path).replace(/\r?\n$/, '');
  // An empty value would count as absent, and so get the default.
  if (content.trim() === '') throw new Error(`the file ${path} is empty`);
  if (/[\r\n]/.test(content)) throw new Error(`the file ${path} must have one line, with nothing but the value`);
  return content;
}

function readContent(path: string): string {
  try {
    const status = statSync(path);
    // Reading a pipe could block the process forever.
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > maxSize) throw new Error(`it has more than ${maxSize} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`the file ${path} can't be read (${code ?? message})`, { cause: error });
  }
}
