// Explains the failure of a command in one line, with the fault and a remedy, and without a stack trace or a token.
import { CommanderError } from 'commander';
import { redactTokens } from '../base/redaction.ts';
import { ConfigError } from '../config/config.ts';
import { ServiceError } from '../base/errors.ts';
import { Refusal, UsageError } from '../../clients/cli/src/terminal/refusal.ts';

/** Errors of opening and migrating the database whose messages are written for users. */
const selfExplaining = new Set([
  'DatabaseLostError',
  'DirectoryInUseError',
  'DirectoryLockError',
  'IncompleteDirectoryError',
  'MigrationError',
]);

/** The exit code for an error: 2 for a wrong command or configuration, 1 for a failure. */
export function exitCodeOf(error: unknown): 1 | 2 {
  const isUsage = [CommanderError, ConfigError, UsageError].some((kind) => error instanceof kind);
  const isBadValue = error instanceof ServiceError && ['bad_request', 'validation_failed'].includes(error.code);
  return isUsage || isBadValue ? 2 : 1;
}

/**
 * Explains an error in one line.
 * @param command the words of the failed command, for the hint at its `--help`
 */
export async function explain(error: unknown, command: string): Promise<string> {
  return redactTokens(oneLine(await messageOf(error, command)));
}

async function messageOf(error: unknown, command: string): Promise<string> {
  if (error instanceof CommanderError) return misuse(error, command);
  if (!(error instanceof Error)) return `Unexpected failure without a reason: ${String(error)}`;
  if (error instanceof Refusal || error instanceof ServiceError || selfExplaining.has(error.name)) return error.message;
  if (error instanceof ConfigError) {
    return `The configuration does not fit: ${error.message}. "entryway serve --help" lists the variables.`;
  }
  return ofListening(error) ?? (await ofDatabase(error)) ?? ofFile(error) ?? `Unexpected failure: ${lastLine(error)}`;
}

function misuse(error: CommanderError, command: string): string {
  const wrong = error.code === 'commander.help' ? 'the name of a command is missing' : error.message;
  return `${wrong.replace(/^error: |\.$/g, '')}. See: ${command} --help`;
}

/** Explains why the service can't listen at its address; undefined for other errors. */
function ofListening(
  error: NodeJS.ErrnoException & {
    port?: number;
    address?: string;
    hostname?: string;
    /** The variables that set the address (src/http/metrics/monitoring.ts); absent for those of the service. */
    variables?: { port: string; host: string };
  },
): string | undefined {
  const { code, syscall, port, address, hostname, variables = { port: 'PORT', host: 'HOST' } } = error;
  if (syscall === 'getaddrinfo') {
    return `There is no host "${hostname}" (${code}): check ${variables.host}, and DATABASE_URL.`;
  }
  // Workers bind the port, which their supervisor listens on.
  if (syscall !== 'listen' && syscall !== 'bind') return undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} of ${address} is taken: stop what listens there, or set ${variables.port} to another one.`;
  }
  return `Can't listen on port ${port} of ${address} (${code}): set ${variables.port} and ${variables.host} to what this machine and user may use.`;
}

/** Explains why the database can't be used; undefined for other errors. */
async function ofDatabase(error: Error): Promise<string | undefined> {
  const remedy = 'Check that the server runs, and that DATABASE_URL is right.';
  if (error.name === 'DatabaseUnusableError') return `${error.message}. ${remedy}`;
  // Imported here and not above, since it loads all of Prisma.
  const { isReadOnly, isUnavailable, lacksRight } = await import('../database/databaseErrors.ts');
  if (isReadOnly(error)) {
    return (
      'The database takes no writes: its server is a standby, or it is set to read-only transactions. Name the primary ' +
      'server in DATABASE_URL.'
    );
  }
  if (lacksRight(error)) return `The role in DATABASE_URL lacks a right: ${lastLine(error)}. ${remedyOfRight(error)}`;
  return isUnavailable(error) && !isOfFile(error)
    ? `The database can't be reached: ${lastLine(error)}. ${remedy}`
    : undefined;
}

function remedyOfRight(error: Error): string {
  const schema = /for schema (.+)$/.exec(lastLine(error))?.[1];
  return schema === undefined
    ? 'Connect as the role that owns the tables, or let that role grant the right.'
    : `Let the owner of the database run: GRANT USAGE, CREATE ON SCHEMA ${schema} TO <role>.`;
}

/** Explains a fault of the embedded database's directory; undefined for other errors. */
function ofFile(error: Error): string | undefined {
  if (error.name === 'RuntimeError' || /PGlite failed to init/i.test(error.message)) {
    return (
      'The embedded database in DATA_DIR can’t be opened. If its disk is full, make room and start again. Else it is damaged, or ' +
      'was made by another version: restore a backup of the directory, or move it away to start with an empty database.'
    );
  }
  return isOfFile(error) ? `${error.message}. Check DATA_DIR, and that this user may write there.` : undefined;
}

function isOfFile(error: Error): boolean {
  return 'path' in error && 'syscall' in error && error.syscall !== 'connect';
}

/**
 * The last line of a message of Prisma, which has the reason, in the database's words if there are any. The lines before
 * it show the call.
 */
function lastLine({ message }: Error): string {
  const line = message.trim().split('\n').at(-1)?.trim() ?? '';
  return /Message: `(.+)`$/.exec(line)?.[1] ?? (line === '' ? 'no reason was given' : line);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
