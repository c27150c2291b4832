// The options of every command that talks to a running service.
import { Option, type Command } from 'commander';
import { readSecretFile } from '../../../../src/config/secretFile.ts';
import { reasonOf, UsageError } from '../terminal/refusal.ts';
import { siteId } from './ids.ts';
import type { Connection } from './apiClient.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly site?: string;
  readonly patience: string;
}

/** On this machine, at the port of the variable that the service reads, too. A file .env is not read here (docs/contract.md §8.2). */
const defaultUrl = `http://127.0.0.1:${portOf(process.env['PORT']) ?? 4000}`;

/** The number of a port that can be called; null for what is none: 0 lets the service choose one. */
function portOf(text: string | undefined): number | null {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}

/** Adds the options to a command. */
export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', `the address of the service; default: ${defaultUrl}`).env('ENTRYWAY_URL'))
    .addOption(
      new Option('--token <token>', 'the token to send; the variable keeps it out of lists of processes').env(
        'ENTRYWAY_TOKEN',
      ),
    )
    .option('--site <id>', 'the site; needed with a token of the kind user')
    .option('--patience <seconds>', 'how long to wait for a service that was there and is busy or away', '300');
}

/** @throws {UsageError} naming the option that is missing or malformed */
export function parseConnection({ url = defaultUrl, site, patience, ...given }: ConnectionOptions): Connection {
  const token = findSecret(given.token, 'ENTRYWAY_TOKEN') ?? '';
  if (token === '')
    throw new UsageError('A token is missing: set ENTRYWAY_TOKEN or ENTRYWAY_TOKEN_FILE, or give --token.');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('--token is not a token: it holds spaces or other characters that no token has.');
  const seconds = Number(patience);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new UsageError('--patience must be a number of seconds, such as 300.');
  return {
    url: parseServiceUrl(url),
    token,
    site: site === undefined ? undefined : siteId(site),
    patience: seconds * 1000,
  };
}

/**
 * A secret: what its option or its variable gives, else what is in the file that the variable with `_FILE` at its end names.
 * @throws {UsageError} if the variable and the file are both set, or the file can't be read
 */
export function findSecret(given: string | undefined, variable: string): string | undefined {
  const file = process.env[`${variable}_FILE`];
  if (file === undefined || file === '') return given;
  if (process.env[variable]) throw new UsageError(`${variable} and ${variable}_FILE are both set: set one of them.`);
  // An option that was given counts more than the environment.
  if (given !== undefined && given !== '') return given;
  try {
    return readSecretFile(file);
  } catch (error) {
    throw new UsageError(`${variable}_FILE: ${reasonOf(error)}.`);
  }
}

function parseServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new UsageError(
      '--url must be an address such as http://127.0.0.1:4000, without a user, parameters or a fragment.',
    );
  }
  return url.href.replace(/\/+$/, '');
}
