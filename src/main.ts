#!/usr/bin/env node
// The command line (docs/contract.md §8). It loads only the command that is named, so that each starts quickly.
import { Command, CommanderError } from 'commander';
import { print, printFailure } from '../clients/cli/src/terminal/output.ts';
import { readVersion } from './base/version.ts';

/** A command's file, which adds the subcommands, options and action to the command. */
interface CommandFile {
  define(command: Command): void;
}

const commands: readonly { name: string; does: string; load: () => Promise<CommandFile> }[] = [
  { name: 'serve', does: 'apply pending migrations, and serve', load: () => import('./cli/serve/serve.ts') },
  {
    name: 'migrate',
    does: 'apply pending migrations, or list them all',
    load: () => import('./cli/commands/migrate.ts'),
  },
  {
    name: 'site',
    does: 'create, list, show, delete, export and import sites',
    load: () => import('./cli/commands/site.ts'),
  },
  {
    name: 'user',
    does: 'create, list and delete users: backoffice accounts',
    load: () => import('./cli/commands/user.ts'),
  },
  {
    name: 'member',
    does: 'add, remove and list members: which users may enter which sites',
    load: () => import('./cli/commands/member.ts'),
  },
  {
    name: 'role',
    does: 'list, make, change and delete roles: what the members of a site may do',
    load: () => import('./cli/commands/role.ts'),
  },
  {
    name: 'provider',
    does: 'add, list and remove providers by which users sign in',
    load: () => import('./cli/commands/provider.ts'),
  },
  {
    name: 'token',
    does: 'create, list, revoke and rotate access tokens',
    load: () => import('./cli/commands/token.ts'),
  },
  {
    name: 'distribute',
    does: 'spread the sites over the nodes of Citus',
    load: () => import('./cli/commands/distribute.ts'),
  },
  { name: 'backup', does: 'write the embedded database to a file', load: () => import('./cli/commands/backup.ts') },
  { name: 'restore', does: 'make an embedded database of a backup', load: () => import('./cli/commands/restore.ts') },
  { name: 'audit', does: 'list who changed management data, and when', load: () => import('./cli/commands/audit.ts') },
  {
    name: 'import',
    does: 'make entries of the rows of files, over HTTP',
    load: () => import('../clients/cli/src/import.ts'),
  },
  { name: 'export', does: 'write a channel to a file, over HTTP', load: () => import('../clients/cli/src/export.ts') },
  {
    name: 'sync',
    does: 'keep a file equal to what a token sees, over HTTP',
    load: () => import('../clients/cli/src/sync.ts'),
  },
  {
    name: 'explain',
    does: 'tell who may do what, and why, over HTTP',
    load: () => import('../clients/cli/src/explain.ts'),
  },
  {
    name: 'schema',
    does: 'print a GraphQL schema, for code generators',
    load: () => import('./cli/commands/schema.ts'),
  },
  {
    name: 'types',
    does: 'print TypeScript types of channels, over HTTP',
    load: () => import('./cli/commands/types.ts'),
  },
];

/**
 * The commands that send a token to a service: a file .env that happens to be in the directory does not say to which.
 */
const overHttp: ReadonlySet<string> = new Set(['import', 'export', 'sync', 'explain', 'schema', 'types']);

await run(process.argv.slice(2));

async function run(words: string[]): Promise<void> {
  let text = '';
  const program = await buildProgram(words, (part) => (text += part));
  try {
    if (!overHttp.has(words.find((word) => !word.startsWith('-')) ?? '')) await loadEnvironmentFile();
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
  } catch (error) {
    // Commander reports help and the version as errors with exit code 0, too.
    if (error instanceof CommanderError && error.exitCode === 0) {
      text = text.trimEnd();
      print({ text, json: error.code === 'commander.version' ? { version: text } : { help: text } });
      return;
    }
    const { exitCodeOf, explain } = await import('./cli/failure.ts');
    const command = namedCommand(program, words);
    printFailure(await explain(error, command), command === 'entryway serve');
    process.exitCode = exitCodeOf(error);
  }
}

/** Reads the file .env of the working directory, if there is one. Variables that are set already keep their values. */
async function loadEnvironmentFile(): Promise<void> {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    const { ConfigError } = await import('./config/config.ts');
    throw new ConfigError(`the file .env can't be read (${String(error)})`);
  }
}

/**
 * Builds the command line: every command with its description, and the named one with its options and action.
 * @param write takes the help and the version
 */
async function buildProgram(words: readonly string[], write: (text: string) => void): Promise<Command> {
  const program = new Command('entryway')
    .description('Entryway, a headless content service: entries in channels of sites, over GraphQL and REST.')
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--json', 'print one JSON document on standard output, and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', '\nStart with: entryway serve\nThe options of a command: entryway <command> --help')
    // printFailure prints failures in one line; Commander itself prints none.
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined })
    .exitOverride();
  for (const { name, does, load } of commands) {
    const command = program.command(name).description(does);
    if (words.includes(name)) (await load()).define(command);
  }
  return program;
}

/** The command that the words name, with the commands above it, such as `entryway token create`. */
function namedCommand(program: Command, words: readonly string[]): string {
  let command = program;
  const path = [program.name()];
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) break;
    command = next;
    path.push(word);
  }
  return path.join(' ');
}
