// Reads a secret for a command, such as a new password: from a prompt that does not show it, or from the first line of standard input.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { findPasswordFault, hashPassword } from '../features/signIn/passwords.ts';
import { isClientSecret } from '../features/signIn/providers/input.ts';
import { Refusal, UsageError } from '../../clients/cli/src/terminal/refusal.ts';

/** The maximum size of the first line, in bytes. */
const maxLine = 8_192;

/**
 * Reads a new password, and hashes it, so that it goes no further.
 * @param email the address of its user
 * @throws {UsageError} if there is none, or it breaks the rule for passwords
 */
export async function readPasswordHash(email: string): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice(email) : await readFirstLine('password');
  const fault = findPasswordFault(password, email);
  if (fault !== null) throw new UsageError(`The password ${fault}.`);
  return hashPassword(password);
}

/**
 * Reads the secret that a provider knows this service by.
 * @throws {UsageError} if there is none, or it cannot be one. It is not repeated
 */
export async function readClientSecret(): Promise<string> {
  const secret = process.stdin.isTTY ? await ask('Secret of the client: ') : await readFirstLine('secret');
  if (isClientSecret(secret)) return secret;
  throw new UsageError("The client's secret must have 1 to 1,024 characters of ASCII, without control characters.");
}

async function askTwice(email: string): Promise<string> {
  const password = await ask(`Password of ${email}: `);
  if ((await ask('The same again: ')) === password) return password;
  throw new UsageError('The two passwords are not the same.');
}

/** Asks on the terminal. What is typed is not shown. */
function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => reject(new Refusal('The command was stopped. Nothing was changed.')));
  }).finally(() => {
    lines.close();
    process.stderr.write('\n');
  });
}

/** @param what the name of the secret @throws {UsageError} if standard input has no line, or a long one */
async function readFirstLine(what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (chunk.includes('\n') || size > maxLine) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1);
  if (line === '')
    throw new UsageError(`There is no ${what}: type it at the prompt, or send it as the first line of standard input.`);
  if (Buffer.byteLength(line) > maxLine)
    throw new UsageError(`The first line of standard input is too long for a ${what}.`);
  return line;
}
