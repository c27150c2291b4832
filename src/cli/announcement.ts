// The text that `entryway serve` prints once it is ready: its address, and the first requests to try.
import { platform } from 'node:os';
import { relative } from 'node:path';
import { databaseWords, type DatabaseName } from './databaseName.ts';
import type { Demo } from './demo.ts';
import { draftSlug } from './demoContent.ts';
import type { Result } from './output.ts';

interface Start {
  /** Where the service listens. */
  readonly url: string;
  /** Whether browsers get pages. */
  readonly console: boolean;
  readonly database: DatabaseName;
  /** The demo site that this start made; null where it made none. */
  readonly demo: Demo | null;
}

/** What a start prints. That includes the demo's tokens, which are not shown again. */
export function announcement({ url, console, database, demo }: Start): Result {
  const pages = console ? `\nOpen ${url} in a browser: GraphQL and REST to try, and the console.\n` : '';
  return {
    json: { url, database, ...(demo && { site: demo.site, tokens: demo.tokens }) },
    text: `Entryway serves at ${url}\n${pages}${demo ? welcome(url, demo) : wayToToken(database)}`,
  };
}

function welcome(url: string, { site, user, tokens }: Demo): string {
  return `
This is the first start: here is a site to try things on, "${site}", and a token of each kind. They are not shown again.

  master  ${tokens.master}
          for servers that are trusted: may do everything on the site
  public  ${tokens.public}
          for websites and apps: sees what visitors may see
  user    ${tokens.user}
          of ${user}; goes with the header X-Service-Site: ${site}

As variables of your shell, for the examples of the README:
${variableLine(tokens)}

${curlLines(url, site, tokens).join('\n\n')}
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

/** Requests to paste into a shell, each under a line that says what it shows. */
function curlLines(url: string, site: string, tokens: Demo['tokens']): string[] {
  const entries = `${url}/channels/articles/entries`;
  const body = JSON.stringify({ title: 'My first article', body: 'Hello, world.', _status: 'published' });
  return [
    `What visitors see of the channel "articles":
curl '${entries}' -H 'Authorization: Bearer ${tokens.public}'`,
    `Films of the nineties, the newest first, each with its director:
curl '${url}/channels/films/entries?year.gte=1990&year.lt=2000&sort=-year&include=director' -H 'Authorization: Bearer ${tokens.public}'`,
    `Another article, published at once:
curl '${entries}' -H 'Authorization: Bearer ${tokens.master}' -H 'Content-Type: application/json' -d '${body}'`,
    `A draft, which visitors don't see:
curl '${entries}/${draftSlug}' -H 'Authorization: Bearer ${tokens.user}' -H 'X-Service-Site: ${site}'`,
  ];
}

function wayToToken(database: DatabaseName): string {
  return `
The data is in ${databaseWords(database)}. To create a token, ${placeOfCommands(database)}:
  npx entryway token create --kind master --site <id>
"npx entryway site list" lists the sites, "npx entryway site create <id>" creates one.`;
}

/** What the environment of a command has to be, so that it works on this database. A URL may hold a password: it is not shown. */
function placeOfCommands(database: DatabaseName): string {
  if (database.kind === 'postgresql') return 'run this with the same DATABASE_URL';
  const isDefault = relative('data', database.directory) === '';
  return isDefault ? 'run this in the same directory' : `set DATA_DIR to ${database.directory} and run this`;
}
