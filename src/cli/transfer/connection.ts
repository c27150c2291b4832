// Options that every command has which speaks to a running service, and what they amount to.
import { Option, type Command } from 'commander';
import { isHandle } from '../../inputs/handle.ts';
import { Refusal } from '../run.ts';
import { siteId } from '../values.ts';
import type { Connection } from './service.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly site?: string;
  readonly patience: string;
}

const defaultUrl = 'http://127.0.0.1:4000';

/** Adds the options to a command. */
export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', `where the service is; default: ${defaultUrl}`).env('ENTRYWAY_URL'))
    .addOption(new Option('--token <token>', 'as whom to ask; better kept in the variable').env('ENTRYWAY_TOKEN'))
    .option('--site <id>', 'the site; needed with a token of the kind user')
    .option('--patience <seconds>', 'how long to wait for a service that is busy or away', '300');
}

/** @throws {Refusal} where an option does not do */
export function connectionOf(options: ConnectionOptions): Pick<Connection, 'url' | 'token' | 'site' | 'patience'> {
  const { token = '', site } = options;
  if (token === '') throw new Refusal('A token is missing: set ENTRYWAY_TOKEN, or give --token.');
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Refusal('That is no token: it holds spaces or other odd characters.');
  const seconds = Number(options.patience);
  if (!Number.isFinite(seconds) || seconds < 0) throw new Refusal('--patience is a number of seconds, such as 300.');
  return {
    url: serviceUrl(options.url ?? defaultUrl),
    token,
    site: site === undefined ? undefined : siteId(site),
    patience: seconds * 1000,
  };
}

function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Refusal('--url is where the service is, such as http://127.0.0.1:4000: no user, parameters or fragment.');
  }
  return url.href.replace(/\/+$/, '');
}

/** @throws {Refusal} where a text is no id that a channel can have */
export function channelId(text: string): string {
  if (!isHandle(text)) throw new Refusal(`"${text}" can't be a channel's id.`);
  return text;
}
