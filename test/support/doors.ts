// The doors of the service, read from what is built: the router, the schema, the command line; and tables of what each
// lets through, written as text.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { routeRequests, type AppDependencies } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { DocumentCache } from '../../src/graphql/documents.ts';
import { resolvers } from '../../src/features.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { createGraphqlServer, type GraphqlOptions } from '../../src/graphql/server.ts';
import { createLog } from '../../src/base/log.ts';
import { kinds, type Kind } from './sites.ts';

/** A layer of Express' router. */
interface Layer {
  readonly name: string;
  /** The path or paths that it is for, and whether that is every one. */
  readonly rawPath: string | string[];
  readonly slash: boolean;
  readonly route?: { readonly path: string | string[]; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[]; readonly length: number };
}

/**
 * Each path that the router has something for, with the method: `GET /livez`. `*` stands for every method. Handlers of
 * errors are no doors, nor is what every path passes; anything else that is for a path of its own is one.
 */
export async function httpDoors(): Promise<string[]> {
  const config = readConfig({});
  const log = createLog('silent');
  const graphql = createGraphqlServer({
    ...{ production: false, limits: {}, log, schema: createSchema(resolvers), hasPage: true },
    documents: new DocumentCache(config.limits.graphql.length).of(''),
  } as unknown as GraphqlOptions);
  await graphql.start();
  try {
    // What the handlers are made with is not looked at before a request comes.
    const dependencies = { ...config, config, graphql, log, siteSchemas: null } as unknown as AppDependencies;
    const { stack } = routeRequests(dependencies) as unknown as { stack: Layer[] };
    return [...new Set(doorsOf(stack))].sort();
  } finally {
    await graphql.stop();
  }
}

function doorsOf(stack: readonly Layer[]): string[] {
  return stack.flatMap(({ route, handle, slash, rawPath, name }) => {
    if (route) {
      const methods = Object.keys(route.methods).map((method) => (method === '_all' ? '*' : method.toUpperCase()));
      return methods.flatMap((method) => [route.path].flat().map((path) => `${method} ${path}`));
    }
    if (slash) return handle.stack ? doorsOf(handle.stack) : [];
    return handle.length === 4 ? [] : [`mounted ${name} ${String(rawPath)}`];
  });
}

/** Every field of every object type, as `Type.field`; those of the roots too. */
export function fieldsOf(schema: GraphQLSchema): Map<string, GraphQLField<unknown, unknown>> {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
  return new Map(
    types.flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)
        : [],
    ),
  );
}

/** Every command that does something, as one types it, with its options. */
export async function commands(): Promise<Map<string, readonly string[]>> {
  const main = readFileSync(new URL('../../src/main.ts', import.meta.url), 'utf8');
  const listed = [...main.matchAll(/name: '(\w+)',[^}]*?import\('(\.{1,2}\/[\w/]+)\.ts'\)/g)];
  const found = new Map<string, readonly string[]>();
  for (const [, name = '', file = ''] of listed) {
    const { define } = (await import(`../../src/${file}.ts`)) as { define: (command: Command) => void };
    const command = new Command(name);
    define(command);
    collect(command, name, found);
  }
  return found;
}

function collect(command: Command, path: string, found: Map<string, readonly string[]>): void {
  const acts = (command as unknown as { _actionHandler: unknown })._actionHandler !== null;
  if (acts) {
    found.set(
      path,
      command.options.map(({ long }) => long ?? ''),
    );
  }
  for (const each of command.commands) collect(each, `${path} ${each.name()}`, found);
}

/** What a caller of each kind gets at a door. */
export type Row = Readonly<Record<Kind, string>>;

/** A table of doors: the first line names the kinds of callers, each other one a door and a word for each kind. */
export function doorTable(text: string): Map<string, Row> {
  const [heading = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  if (heading.join() !== ['door', ...kinds].join()) throw new Error(`Not the kinds of callers: ${heading.join(' ')}`);
  const rows = new Map<string, Row>();
  for (const words of lines.filter(([first]) => first !== '')) {
    const door = words.slice(0, -kinds.length).join(' ');
    const cells = words.slice(-kinds.length);
    if (door === '' || rows.has(door)) throw new Error(`No door, or one twice: ${words.join(' ')}`);
    rows.set(door, Object.fromEntries(kinds.map((kind, index) => [kind, cells[index]])) as unknown as Row);
  }
  return rows;
}
