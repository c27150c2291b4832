// Holds GraphQL against the models: all that a caller may ask for in two documents.
import { expect } from '@jest/globals';
import { answerAt, noVersion, type Place } from './places.ts';
import { byId, found, idsLinked, questionFor, seenOf, type Question } from './lists.ts';
import type { Note } from './model.ts';
import { statusOf } from './wire.ts';
import type { World, WorldCaller, WorldChannel } from './world.ts';

interface Node {
  readonly id: string;
  readonly reference?: { readonly id: string } | null;
  readonly references?: { readonly nodes: readonly { readonly id: string }[]; readonly totalCount: number };
}

interface GraphqlBody {
  readonly data: Record<string, { nodes?: Node[]; totalCount?: number; id?: string } | null>;
  readonly errors?: readonly { readonly path: readonly string[]; readonly extensions: { readonly code: string } }[];
}

/** Asks GraphQL for the lists of channels, with what their entries refer to and one question, and for places. */
export async function checkGraphql(
  world: World,
  caller: WorldCaller,
  channels: readonly WorldChannel[],
  places: readonly Place[],
  note: Note,
): Promise<void> {
  if (channels.length + places.length === 0) return;
  const expected: Record<string, unknown> = {};
  const question = questionFor(world.turn + 2);
  const variables: Record<string, unknown> = { ...question.graphql };
  for (const [at, channel] of channels.entries()) {
    const seen = seenOf(world, caller, channel);
    const nodes = channel.leads ? seen.map((entry) => idsLinked(world, caller, entry)) : seen.map(({ id }) => ({ id }));
    const ids = found(world, caller, channel, question, note).map((id) => ({ id }));
    variables[`list${at}`] = channel.id;
    expected[`list${at}`] = [byId(nodes), nodes.length];
    expected[`found${at}`] = [byId(ids), ids.length];
  }
  for (const [at, { channel, entry }] of places.entries()) {
    const { sees, ...rights } = answerAt(world, caller, channel, entry);
    variables[`channel${at}`] = channel.id;
    variables[`entry${at}`] = entry.id;
    expected[`fetch${at}`] = sees ? entry.id : 404;
    for (const right of ['update', 'delete'] as const) {
      expected[`${right}${at}`] = rights[right] === 'may' ? 412 : rights[right];
    }
  }
  const documents = documentsFor(channels, question, places.length);
  const answers = await Promise.all(documents.map((document) => world.graphql(caller, document, variables)));
  const answered = Object.assign({}, ...answers.map(({ body }) => outcomesOf(body as GraphqlBody))) as object;
  expect({ graphql: caller.name, ...answered }).toEqual({ graphql: caller.name, ...expected });
}

/** A query and a mutation that ask for everything, the names in variables: one text for as many channels and places. */
function documentsFor(channels: readonly WorldChannel[], { what }: Question, places: number): string[] {
  const [lists, each] = [numbers(channels.length), numbers(places)];
  const asked = what === 'filter' ? 'where: $where' : 'search: $search';
  const sought = what === 'filter' ? '$where: EntryFilter' : '$search: String';
  // A document declares no more variables than it uses.
  const declared = [
    ...(channels.length > 0 ? [sought] : []),
    ...lists.map((at) => `$list${at}: ID!`),
    ...each.map((at) => `$channel${at}: ID! $entry${at}: ID!`),
  ];
  const names = (at: number): string => `channel: $channel${at}, id: $entry${at}`;
  const reads = [
    ...channels.map(
      ({ leads }, at) =>
        `list${at}: entries(channel: $list${at}, first: 10) { totalCount nodes { id ${leads ? links : ''} } }`,
    ),
    ...lists.map((at) => `found${at}: entries(channel: $list${at}, ${asked}, first: 10) { totalCount nodes { id } }`),
    ...each.map((at) => `fetch${at}: entry(${names(at)}) { id }`),
  ];
  const writes = each.flatMap((at) => [
    `update${at}: updateEntry(${names(at)}, input: {}, ifVersion: ${noVersion}) { id }`,
    `delete${at}: deleteEntry(${names(at)}, ifVersion: ${noVersion})`,
  ]);
  const query = `query (${declared.join(' ')}) { ${reads.join(' ')} }`;
  const mutation = `mutation (${declared.slice(-places).join(' ')}) { ${writes.join(' ')} }`;
  return places === 0 ? [query] : [query, mutation];
}

const links = 'reference(field: "friend") { id } references(field: "friends", first: 5) { totalCount nodes { id } }';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** By alias: what a list holds, the id of a fetched entry, or the status that stands for its refusal. */
function outcomesOf({ data, errors = [] }: GraphqlBody): Record<string, unknown> {
  const refusals = new Map(errors.map((error) => [error.path[0], statusOf(error)]));
  return Object.fromEntries(
    Object.entries(data).map(([alias, value]) => {
      if (value?.nodes) return [alias, [byId(value.nodes.map(linkedOf)), value.totalCount]];
      const outcome = value?.id ?? value ?? refusals.get(alias);
      // A fetch that finds nothing is null, where REST has a 404.
      return [alias, outcome ?? (alias.startsWith('fetch') ? 404 : undefined)];
    }),
  );
}

/** A node with what it refers to by ids, where that was asked for. */
function linkedOf({ id, reference, references }: Node): Record<string, unknown> {
  if (references === undefined) return { id };
  return {
    id,
    reference: reference?.id ?? null,
    references: [references.nodes.map((node) => node.id), references.totalCount],
  };
}
