// `entryway explain`: explains why an actor may or may not do something with an entry, over the HTTP API.
import type { Command } from 'commander';
import type { DecidedBy } from '../../../src/rules/access.ts';
import { print, printable, table, timeText } from './terminal/output.ts';
import { UsageError } from './terminal/refusal.ts';
import { ApiClient, assertSuccess } from './service/apiClient.ts';
import { addConnectionOptions, parseConnection, type ConnectionOptions } from './service/connection.ts';
import { parseChannelId } from './service/ids.ts';

interface ExplainOptions extends ConnectionOptions {
  readonly channel: string;
  readonly as: string;
  readonly at?: string;
}

/** REST's decision on an action (docs/contract.md §10.1). */
interface RemoteDecision {
  readonly allowed: boolean;
  readonly decided_by: DecidedBy;
  readonly key: string | null;
  readonly scope: string | null;
  readonly considered: readonly { readonly key: string; readonly says: boolean }[];
  readonly right: string | null;
}

const actions = ['read', 'update', 'delete', 'create', 'publish'] as const;

interface RemoteExplanation extends Readonly<Record<(typeof actions)[number], RemoteDecision>> {
  readonly publication: { readonly visible: boolean; readonly since: string | null; readonly until: string | null };
}

const explainHelp = `
--as says who would ask: anonymous; customer:<id>, with the roles that this customer has; roles:<role>,<role>, for a
signed-in customer with these roles; or member:<user id>, for the user token of a member. Needs a master or a user token.

See docs/access.md for the rules.`;

export function define(command: Command): void {
  addConnectionOptions(command)
    .argument('<entry>', 'the id, short id or slug of the entry')
    .requiredOption('--channel <id>', 'the channel of the entry')
    .requiredOption('--as <actor>', 'who would ask: anonymous, customer:<id>, roles:<role>,<role> or member:<user id>')
    .option('--at <time>', 'when, such as 2026-01-31T09:30:00Z; default: now')
    .addHelpText('after', explainHelp)
    .action(runExplain);
}

/** @throws {UsageError} for options that contradict each other; {Refusal} if the service refuses */
async function runExplain(entry: string, options: ExplainOptions): Promise<void> {
  const { as: actor, at } = options;
  const connection = parseConnection(options);
  const channel = parseChannelId(options.channel);
  if (!/^(anonymous$|customer:|roles:|member:)/.test(actor)) {
    throw new UsageError('--as must be anonymous, customer:<id>, roles:<role>,<role> or member:<user id>.');
  }
  const client = new ApiClient({
    ...connection,
    signal: new AbortController().signal,
    say: (line) => process.stderr.write(`${printable(line)}\n`),
  });
  const parameters = new URLSearchParams({ as: actor, ...(at !== undefined && { at }) }).toString();
  const response = await client.request(
    `/channels/${channel}/entries/${encodeURIComponent(entry)}/access?${parameters}`,
  );
  assertSuccess(response, `Can't explain access to "${entry}" of "${channel}"`);
  const explanation = response.body as RemoteExplanation;
  print({ json: explanation, text: explanationText(explanation) });
}

function explanationText(explanation: RemoteExplanation): string {
  const rows = actions.map((action) => {
    const decision = explanation[action];
    const keys = decision.considered.map(({ key, says }) => `${key}: ${says}`).join(', ');
    return [action, decision.allowed ? 'yes' : 'no', reasonText(decision), keys];
  });
  const { read, publication } = explanation;
  const outcome = read.allowed && publication.visible ? 'A fetch finds the entry.' : 'A fetch answers 404.';
  return [
    table(['action', 'allowed', 'because', 'keys that match'], rows, ''),
    '',
    `Publication: ${publicationText(publication)}. ${outcome}`,
  ].join('\n');
}

function reasonText({ allowed, decided_by: by, key, scope, right }: RemoteDecision): string {
  if (!allowed && right !== null) return `the right ${right} is missing`;
  switch (by) {
    case 'right':
      return `${key ?? 'a role'} has the right ${right ?? ''}`.trim();
    case 'bypass':
      return 'access control is bypassed';
    case 'grant':
      return `the entry grants it to ${key ?? ''}`;
    case 'deny':
      return `the entry denies it to ${key ?? ''}`;
    case 'channel':
      return `the channel's scope is ${scope ?? ''}${allowed ? '' : ', whatever the entry grants'}`;
    case 'default':
      // Publishing is by nobody's key, and has no scope.
      return scope === null
        ? 'only master tokens and a right allow it'
        : `no key decides, and the channel's scope is ${scope}`;
  }
}

function publicationText({ visible, since, until }: RemoteExplanation['publication']): string {
  if (visible) return since === null ? 'visible' : `visible since ${timeText(since, '')}`;
  return until === null ? 'hidden, as a draft' : `hidden until ${timeText(until, '')}`;
}
