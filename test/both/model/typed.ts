// Holds the schema of the site against the models (docs/contract.md §11.2): the channels that exist to a caller have their
// types there, and lists, fetches and writes through these say what the models say. No other channel has any.
import { expect } from '@jest/globals';
import type { Answer } from './client.ts';
import { byId, found, questionFor, seenOf, type Question } from './lists.ts';
import { existsTo, type Note } from './model.ts';
import { answerAt, noVersion, type Place } from './places.ts';
import { membersOf, rowOf, type Row } from './read.ts';
import { seenIn, type Payload } from './references.ts';
import { words } from './steps.ts';
import { graphqlEntry, graphqlInput, readGraphql, statusOf, type Written } from './wire.ts';
import type { World, WorldCaller, WorldChannel, WorldEntry } from './world.ts';

type Node = Readonly<Record<string, unknown>>;

interface Body {
  readonly data?: Record<string, { nodes?: Node[]; totalCount?: number; id?: string } | null>;
  readonly errors?: readonly { readonly path: readonly string[]; readonly extensions: { readonly code: string } }[];
}

/** What one document asks for, and what it is to say by the models. */
interface Asked {
  readonly fields: string[];
  readonly expected: Record<string, unknown>;
}

/** Whether the schema that a caller has at the site has types of a channel. */
export function isTyped(world: World, caller: WorldCaller, channel: WorldChannel): boolean {
  return existsTo(channel.rules, world.asker(caller));
}

/** Asks for the lists of channels, whole and by one question, and for places: what exists to the caller. */
export async function checkTyped(
  world: World,
  caller: WorldCaller,
  channels: readonly WorldChannel[],
  places: readonly Place[],
  note: Note,
): Promise<void> {
  const { fields: writes, expected: written } = asksOfPlaces(world, caller, places, 'write');
  const lists = asksOfLists(world, caller, channels, note);
  const fetches = asksOfPlaces(world, caller, places, 'read');
  const reads = [...lists.fields, ...fetches.fields];
  const documents = [
    ...(reads.length > 0 ? [`{ ${reads.join(' ')} }`] : []),
    ...(writes.length > 0 ? [`mutation { ${writes.join(' ')} }`] : []),
  ];
  const answers = await Promise.all([
    ...documents.map((document) => world.typed(caller, document)),
    ...hiddenChannel(world, caller, channels).map((channel) => expectNoTypes(world, caller, channel)),
  ]);
  const outcomes = answers.flatMap((answer) => (answer ? [outcomesOf(answer.body as Body)] : []));
  const expected = { ...lists.expected, ...fetches.expected, ...written };
  expect({ typed: caller.name, ...Object.assign({}, ...outcomes) }).toEqual({ typed: caller.name, ...expected });
}

/** One of some channels that does not exist to a caller. */
function hiddenChannel(world: World, caller: WorldCaller, channels: readonly WorldChannel[]): WorldChannel[] {
  return channels.filter((channel) => !isTyped(world, caller, channel)).slice(0, 1);
}

/** Expects that nothing can be asked of a channel. */
async function expectNoTypes(world: World, caller: WorldCaller, channel: WorldChannel): Promise<null> {
  const { status, body } = await world.typed(caller, `{ ${channel.id} { totalCount } }`);
  const codes = (body as Body).errors?.map(({ extensions }) => extensions.code);
  expect([caller.name, channel.id, status, codes]).toEqual([
    caller.name,
    channel.id,
    400,
    ['GRAPHQL_VALIDATION_FAILED'],
  ]);
  return null;
}

function asksOfLists(world: World, caller: WorldCaller, channels: readonly WorldChannel[], note: Note): Asked {
  const asked: Asked = { fields: [], expected: {} };
  const question = questionFor(world.turn + 4);
  for (const channel of channels.filter((each) => isTyped(world, caller, each))) {
    const { id } = channel;
    const rows = seenOf(world, caller, channel).map((entry) => membersOf(rowOf(world, caller, entry, false)));
    const ids = found(world, caller, channel, question, note).map((each) => ({ id: each }));
    asked.fields.push(`list_${id}: ${id}(first: 10) { totalCount nodes ${selectionFor(channel)} }`);
    asked.fields.push(`found_${id}: ${id}(${typedQuestion(question, channel)}, first: 10) { totalCount nodes { id } }`);
    asked.expected[`list_${id}`] = [byId(rows), rows.length];
    asked.expected[`found_${id}`] = [byId(ids), ids.length];
    const hop = hopFor(world, caller, channel);
    if (hop === null) continue;
    asked.fields.push(`hop_${id}: ${id}(where: ${hop.where}, first: 10) { totalCount nodes { id } }`);
    asked.expected[`hop_${id}`] = [byId(hop.ids), hop.ids.length];
  }
  return asked;
}

/** A filter by what entries refer to, and what it finds by the models; null where the types have none. */
function hopFor(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
): { where: string; ids: readonly { id: string }[] } | null {
  const field = world.turn % 2 === 0 ? 'friend' : 'friends';
  const target = caller.site.channels.find(({ id }) => id === channel.leads?.[field]);
  if (target === undefined || !isTyped(world, caller, target)) return null;
  const word = words[world.turn % words.length];
  const hasWord = (entry: WorldEntry): boolean =>
    seenIn(world, caller, entry.values, field).some(({ values }) => values.word === word);
  const ids = seenOf(world, caller, channel).filter(hasWord);
  const where = `{ ${field}: ${typedWhere({ field: 'word', value: word }, target)} }`;
  return { where, ids: ids.map(({ id }) => ({ id })) };
}

function asksOfPlaces(world: World, caller: WorldCaller, places: readonly Place[], what: 'read' | 'write'): Asked {
  const asked: Asked = { fields: [], expected: {} };
  for (const [at, { channel, entry }] of places.entries()) {
    if (!isTyped(world, caller, channel)) continue;
    const { sees, ...rights } = answerAt(world, caller, channel, entry);
    if (what === 'read') {
      asked.fields.push(`fetch${at}: ${channel.id}Entry(id: "${entry.id}") { id }`);
      asked.expected[`fetch${at}`] = sees ? entry.id : 404;
      continue;
    }
    const name = typeName(channel);
    const args = `id: "${entry.id}", ifVersion: ${noVersion}`;
    asked.fields.push(`update${at}: update${name}(${args}, input: {}) { id } delete${at}: delete${name}(${args})`);
    for (const right of ['update', 'delete'] as const) {
      asked.expected[`${right}${at}`] = rights[right] === 'may' ? 412 : rights[right];
    }
  }
  return asked;
}

/** The name of the type of a channel's entries: its id in Pascal case. */
function typeName({ id }: WorldChannel): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

const stub = '{ id slug titleFieldValue channel { id } }';
const declared = `title word n friend ${stub} friends(first: 5) { nodes ${stub} }`;

/** What the model needs of an entry. */
function selectionFor({ leads }: WorldChannel): string {
  const fixed = 'id version status publishAt titleFieldValue acl { actor create read update delete } owner';
  return `{ ${fixed} ${leads === null ? 'fields' : declared} }`;
}

/** A question in the words of a channel's types. */
function typedQuestion({ graphql: { where, search } }: Question, channel: WorldChannel): string {
  return search === undefined ? `where: ${typedWhere(where as Where, channel)}` : `search: "${search}"`;
}

type Where =
  | { readonly field: string; readonly op?: string; readonly value: unknown }
  | { readonly not: Where }
  | { readonly or: readonly Where[] };

function typedWhere(where: Where, channel: WorldChannel): string {
  if ('not' in where) return `{ not: ${typedWhere(where.not, channel)} }`;
  if ('or' in where) return `{ or: [${where.or.map((each) => typedWhere(each, channel)).join(', ')}] }`;
  const { field, op = 'EQ', value } = where;
  const operand = JSON.stringify(value);
  return channel.leads === null
    ? `{ fields: [{ name: "${field}", op: ${op}, value: ${operand} }] }`
    : `{ ${field}: { ${op.toLowerCase()}: ${operand} } }`;
}

/** By alias: what a list holds, the id of a fetched entry, or the status that stands for its refusal. */
function outcomesOf({ data = {}, errors = [] }: Body): Record<string, unknown> {
  const refusals = new Map(errors.map((error) => [error.path[0], statusOf(error)]));
  return Object.fromEntries(
    Object.entries(data).map(([alias, value]) => {
      if (value?.nodes) {
        const nodes = value.nodes.map((node) => ('version' in node ? membersOf(typedEntry(node)) : node));
        return [alias, [byId(nodes), value.totalCount]];
      }
      const outcome = value?.id ?? value ?? refusals.get(alias);
      return [alias, outcome ?? (alias.startsWith('fetch') ? 404 : undefined)];
    }),
  );
}

/** An entry of such a schema, by REST's names. */
function typedEntry({ title, word, n, friend, friends, fields, ...fixed }: Node): Row {
  if (fields !== undefined) return graphqlEntry({ ...fixed, fields });
  const { nodes } = friends as { nodes: Node[] };
  return graphqlEntry({
    ...fixed,
    fields: {
      title,
      word,
      n,
      friend: friend === null ? null : typedStub(friend as Node),
      friends: nodes.map(typedStub),
    },
  });
}

function typedStub({ id, slug, titleFieldValue, channel }: Node): Row {
  return { id, channel: (channel as Node)['id'], slug, title_field_value: titleFieldValue };
}

/** Creates an entry by the mutation of its channel. */
export async function createTyped(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  payload: Payload,
  slug: string,
): Promise<Written> {
  const name = typeName(channel);
  const document = `mutation ($input: ${name}Input!) { result: create${name}(input: $input) ${selectionFor(channel)} }`;
  return readTyped(await world.typed(caller, document, { input: typedInput(payload, channel, slug) }));
}

/** Updates one. */
export async function updateTyped(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  id: string,
  payload: Payload,
): Promise<Written> {
  const name = typeName(channel);
  const document = `mutation ($id: ID!, $input: ${name}Patch!)
    { result: update${name}(id: $id, input: $input) ${selectionFor(channel)} }`;
  return readTyped(await world.typed(caller, document, { id, input: typedInput(payload, channel) }));
}

/** Deletes one. */
export async function deleteTyped(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  id: string,
): Promise<Written> {
  const document = `mutation ($id: ID!) { result: delete${typeName(channel)}(id: $id) }`;
  return readGraphql(await world.typed(caller, document, { id }));
}

/** A change as these mutations take it: references by one text each. */
function typedInput(payload: Payload, { leads }: WorldChannel, slug?: string): Record<string, unknown> {
  const { fields, ...fixed } = graphqlInput(payload, slug);
  if (leads === null) return { ...fixed, fields };
  const named = (sent: unknown): unknown => {
    if (Array.isArray(sent)) return sent.map(named);
    return typeof sent === 'object' && sent !== null ? (sent as Node)['id'] : sent;
  };
  const values = Object.entries(fields as Node).map(([name, sent]) => [name, named(sent)]);
  return { ...fixed, ...(Object.fromEntries(values) as object) };
}

function readTyped(answer: Answer): Written {
  const written = readGraphql(answer);
  const { result } = ((answer.body as Body).data ?? {}) as { result?: Node | null };
  return written.outcome === 'done' && result ? { outcome: 'done', entry: typedEntry(result), hasAll: true } : written;
}
