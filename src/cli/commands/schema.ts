// `entryway schema`: prints a GraphQL schema for code generators: that of the token's site, over HTTP, or the static one.
import type { Command } from 'commander';
import { print, printable } from '../../../clients/cli/src/terminal/output.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { ApiClient, type ApiResponse } from '../../../clients/cli/src/service/apiClient.ts';
import {
  addConnectionOptions,
  parseConnection,
  type ConnectionOptions,
} from '../../../clients/cli/src/service/connection.ts';

const schemaHelp = `
With --url or --token it asks the service for the schema of the token's site (POST /graphql/site). Without both it prints the
static schema (POST /graphql), and asks nobody.

See docs/typed.md.`;

export function define(command: Command): void {
  addConnectionOptions(command).addHelpText('after', schemaHelp).action(runSchema);
}

/** @throws {UsageError} for options that contradict each other; {Refusal} if the service refuses */
async function runSchema(options: ConnectionOptions): Promise<void> {
  const isLocal = options.url === undefined && options.token === undefined;
  const schema = isLocal ? await printStatic() : await fetchSchema(options);
  print({ json: { schema }, text: schema.trimEnd() });
}

async function printStatic(): Promise<string> {
  const { createSchema, printStaticSchema } = await import('../../graphql/schema.ts');
  const { resolvers } = await import('../../features.ts');
  return printStaticSchema(createSchema(resolvers));
}

async function fetchSchema(options: ConnectionOptions): Promise<string> {
  const client = new ApiClient({
    ...parseConnection(options),
    signal: new AbortController().signal,
    say: (line) => process.stderr.write(`${printable(line)}\n`),
  });
  const response = await client.request('/graphql/site/schema.graphql', { isText: true });
  if (response.status !== 200) throw new Refusal(`Can't read the schema: ${reasonIn(response)}`);
  return String(response.body);
}

/** The reason of a refusal, whose answer has the form of GraphQL. */
function reasonIn({ status, body }: ApiResponse): string {
  const { errors } = (body ?? {}) as { errors?: readonly { message?: string }[] };
  return errors?.[0]?.message ?? `the service answers ${status}`;
}
