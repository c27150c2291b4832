#!/usr/bin/env node
// The command line: finds the command that is named and loads that one alone, so that each starts quickly (docs/contract.md §8).
import { Command, CommanderError } from 'commander';
import { printFailure } from './cli/output.ts';

/** A command's file: it gives the command its subcommands, options and action. */
interface CommandFile {
  define(command: Command): void;
}

const commands: readonly { name: string; does: string; load: () => Promise<CommandFile> }[] = [
  { name: 'serve', does: 'apply pending migrations, and serve', load: () => import('./cli/serve.ts') },
  { name: 'migrate', does: 'apply pending migrations, or list them all', load: () => import('./cli/migrate.ts') },
  { name: 'site', does: 'create and list sites', load: () => import('./cli/site.ts') },
  { name: 'user', does: 'create and list users: backoffice accounts', load: () => import('./cli/user.ts') },
  { name: 'member', does: 'say which users may enter which sites', load: () => import('./cli/member.ts') },
  { name: 'token', does: 'create, list and revoke access tokens', load: () => import('./cli/token.ts') },
  { name: 'import', does: 'make entries of the rows of files, over HTTP', load: () => import('./cli/import.ts') },
  { name: 'export', does: 'write a channel to a file, over HTTP', load: () => import('./cli/export.ts') },
];

await run(process.argv.slice(2));

async function run(words: string[]): Promise<void> {
  const program = await buildProgram(words);
  if (words.length === 0) {
    program.outputHelp();
    return;
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // Help, too, ends in an error, of exit code 0.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { explain } = await import('./cli/failure.ts');
    printFailure(await explain(error, commandOf(program, words)));
    process.exitCode = 1;
  }
}

/** The command line as far as it is needed: every command by its name, the named one in full. */
async function buildProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('entryway')
    .description('Entryway, a headless content service: entries in channels of sites, over GraphQL and REST.')
    .option('--json', 'print one JSON document on standard output, and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', '\nStart with: entryway serve\nThe options of a command: entryway <command> --help')
    // Failures are told in one line, by printFailure.
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .exitOverride();
  for (const { name, does, load } of commands) {
    const command = program.command(name).description(does);
    if (words.includes(name)) (await load()).define(command);
  }
  return program;
}

/** The command that the words name, as far as they name one. */
function commandOf(program: Command, words: readonly string[]): string {
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
