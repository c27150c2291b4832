// Prints the address of `entryway serve` once it is ready, and the first requests to try: on a terminal as text, and
// elsewhere as one line in the form of the log, so that standard output and standard error together are lines of JSON.
import { platform } from 'node:os';
import { relative } from 'node:path';
import { databaseWords, type DatabaseName } from '../databaseName.ts';
import type { Demo, DemoSite, MadeDemo } from '../demo/demo.ts';
import { draftSlug } from '../demo/demoContent.ts';
import { linkAddress } from '../../management/invitations/address.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';

interface Start {
  /** The address of the service. */
  readonly url: string;
  /** The address by which clients reach it, where that is another one. */
  readonly publicUrl?: string | undefined;
  /** Whether pages for browsers are served. */
  readonly console: boolean;
  readonly database: DatabaseName;
  /** The demo site that this start created; null if it created none. */
  readonly demo: MadeDemo | null;
}

/** pino's number of the level `info`. */
const infoLevel = 30;

/**
 * Makes the output of a start, with the demo's tokens, if it has some: they are not shown again.
 * @param isTerminal whether people read it as it is printed
 */
export function announcement(start: Start, isTerminal: boolean): Result {
  const { url, database, demo } = start;
  const link = linkOf(start);
  const made =
    demo === null
      ? {}
      : { site: demo.site, ...(demo.tokens && { tokens: demo.tokens }), ...(link !== null && { link }) };
  const json = { url, database, ...made };
  return { json, text: isTerminal ? textOf(start) : JSON.stringify({ ...logLine(start), ...json }) };
}

/** The address of the link by which the demo's user signs in; null without one. */
function linkOf({ url, publicUrl = url, demo }: Start): string | null {
  const token = demo?.link ?? null;
  return token === null ? null : linkAddress(publicUrl.replace(/\/+$/, ''), token);
}

/** The line of the log. pino does not write it, because it would redact the tokens that DEMO=on asks for. */
function logLine({ url, database, demo }: Start): object {
  const line = { level: infoLevel, time: new Date().toISOString(), msg: `Entryway serves at ${url}` };
  if (demo?.tokens) return { ...line, requests: requestsToTry(url, demo.site, demo.tokens) };
  return { ...line, hint: wayToToken(database, demo).join(' ') };
}

function textOf(start: Start): string {
  const { url, console, database, demo } = start;
  const pages = console ? `\nOpen ${url} in a browser: GraphQL and REST to try, and the console.\n` : '';
  const next = demo?.tokens ? welcome(url, demo, demo.tokens, linkOf(start)) : wayInLines(database, demo);
  return `Entryway serves at ${url}\n${pages}${next}`;
}

function welcome(url: string, { site, user }: DemoSite, tokens: Demo['tokens'], link: string | null): string {
  const signIn =
    link === null
      ? ''
      : `
To sign in to the console as ${user}, who owns the site, choose a password here (good once, and for 24 hours):
  ${link}
`;
  return `
This is the first start: here is a site to try things on, "${site}", and a token of each kind. They are not shown again.

  master  ${tokens.master}
          for servers that are trusted: may do everything on the site
  public  ${tokens.public}
          for websites and apps: sees what visitors may see
  user    ${tokens.user}
          of ${user}; goes with the header X-Service-Site: ${site}
${signIn}
As variables of your shell, for the examples of the README:
${variableLine(tokens)}

${requestsToTry(url, site, tokens)
  .map(({ shows, command }) => `${shows}:\n${command}`)
  .join('\n\n')}
`;
}

/** A line that sets the tokens as variables: for a POSIX shell, or for PowerShell on Windows. */
function variableLine(tokens: Demo['tokens']): string {
  const values = [
    ['MASTER', tokens.master],
    ['PUBLIC', tokens.public],
    ['USER_TOKEN', tokens.user],
  ] as const;
  return platform() === 'win32'
    ? values.map(([name, token]) => `$env:${name} = '${token}'`).join('; ')
    : `export ${values.map(([name, token]) => `${name}=${token}`).join(' ')}`;
}

/** Requests to paste into a shell, each with an explanation. */
function requestsToTry(url: string, site: string, tokens: Demo['tokens']): { shows: string; command: string }[] {
  const entries = `${url}/channels/articles/entries`;
  const body = JSON.stringify({ title: 'My first article', body: 'Hello, world.', _status: 'published' });
  return [
    {
      shows: 'What visitors see of the channel "articles"',
      command: `curl '${entries}' -H 'Authorization: Bearer ${tokens.public}'`,
    },
    {
      shows: 'Films of the nineties, the newest first, each with its director',
      command: `curl '${url}/channels/films/entries?year.gte=1990&year.lt=2000&sort=-year&include=director' -H 'Authorization: Bearer ${tokens.public}'`,
    },
    {
      shows: 'Another article, published at once',
      command: `curl '${entries}' -H 'Authorization: Bearer ${tokens.master}' -H 'Content-Type: application/json' -d '${body}'`,
    },
    {
      shows: "A draft, which visitors don't see",
      command: `curl '${entries}/${draftSlug}' -H 'Authorization: Bearer ${tokens.user}' -H 'X-Service-Site: ${site}'`,
    },
  ];
}

/** Explains the creation of a token: a sentence, the command, and further information. */
function wayToToken(database: DatabaseName, demo: DemoSite | null): [string, string, string] {
  const made =
    demo === null
      ? ''
      : `This is the first start: it made the site "${demo.site}", without tokens, because they would stay in a log. `;
  return [
    `${made}The data is in ${databaseWords(database)}. To create a token, ${describeEnvironment(database)}:`,
    `npx entryway token create --kind master --site ${demo?.site ?? '<id>'}`,
    '"npx entryway site list" lists the sites, "npx entryway site create <id>" creates one.',
  ];
}

function wayInLines(database: DatabaseName, demo: DemoSite | null): string {
  const [sentence, command, sites] = wayToToken(database, demo);
  return `\n${sentence}\n  ${command}\n${sites}`;
}

/** Describes the environment in which commands work on this database. A URL may contain a password: it is not shown. */
function describeEnvironment(database: DatabaseName): string {
  if (database.kind === 'postgresql') return 'run this with the same DATABASE_URL';
  const isDefault = relative('data', database.directory) === '';
  return isDefault ? 'run this in the same directory' : `set DATA_DIR to ${database.directory} and run this`;
}
