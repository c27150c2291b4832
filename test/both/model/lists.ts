// What lists hold by the models: for a caller the entries of a channel that it may see, with what they refer to; and of
// these what a filter or a search finds.
import { passes, type Filter, type Kinds, type Read } from '../lists/oracle.ts';
import type { Note } from './model.ts';
import { membersOf, rowOf, type Row } from './read.ts';
import { seenIn, sees, silent } from './references.ts';
import { valuesOfN, words } from './steps.ts';
import type { World, WorldCaller, WorldChannel, WorldEntry } from './world.ts';

/** The entries of a channel that a caller may see. */
export function seenOf(world: World, caller: WorldCaller, channel: WorldChannel): WorldEntry[] {
  return world.entriesOf(caller.site, channel).filter((entry) => sees(world, caller, entry));
}

/** Rows in an order of their own. */
export function byId(rows: readonly Row[]): Row[] {
  return [...rows].sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
}

/** What a list holds for a caller. */
export function rowsOf(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  embeds: boolean,
  note: Note = silent,
): Row[] {
  return byId(seenOf(world, caller, channel).map((entry) => rowOf(world, caller, entry, embeds, note)));
}

/** A question that some entries answer: in REST's words and GraphQL's, and for the model. */
export interface Question {
  readonly what: 'filter' | 'search';
  readonly rest: string;
  readonly graphql: { readonly where?: unknown; readonly search?: string };
  readonly filter: Filter;
}

const kinds: Kinds = new Map([
  ['word', 'text'],
  ['n', 'number'],
]);

/** The questions that can be asked, in turns: of words, of numbers, of what is not, and searches. */
export function questionFor(turn: number): Question {
  const word = words[Math.floor(turn / 5) % words.length] ?? words[0];
  const n = Math.floor(turn / 5) % valuesOfN;
  const isWord: Filter = { field: 'word', op: 'eq', value: word };
  const isAtLeast: Filter = { field: 'n', op: 'gte', value: n };
  const filter = (rest: string, by: Filter, where: unknown): Question => ({
    ...{ what: 'filter', filter: by, graphql: { where } },
    rest: `${encodeURIComponent(rest.split('=')[0] ?? '')}=${encodeURIComponent(rest.slice(rest.indexOf('=') + 1))}`,
  });
  const [byWord, byN] = [
    { field: 'word', value: word },
    { field: 'n', op: 'GTE', value: n },
  ];
  switch (turn % 5) {
    case 0:
      return filter(`word=${word}`, isWord, byWord);
    case 1:
      return filter(`n.gte=${n}`, isAtLeast, byN);
    case 2:
      return filter(`where=${JSON.stringify({ not: { word } })}`, { not: isWord }, { not: byWord });
    case 3: {
      const where = JSON.stringify({ not: { or: [{ word }, { n: { gte: n } }] } });
      return filter(`where=${where}`, { not: { or: [isWord, isAtLeast] } }, { not: { or: [byWord, byN] } });
    }
    default:
      return { what: 'search', rest: `q=${word}`, graphql: { search: word }, filter: isWord };
  }
}

/** The ids of what a question finds for a caller. */
export function found(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  { what, filter }: Question,
  note: Note = silent,
): string[] {
  const matching = world.entriesOf(caller.site, channel).filter(({ id, values: { word, n } }) => {
    const read: Read = { id, created_at: '', word, n };
    return passes(filter, read, kinds);
  });
  const seen = seenOf(world, caller, channel);
  const ids = seen.filter((entry) => matching.includes(entry)).map(({ id }) => id);
  if (ids.length > 0) note(`${what} finds`);
  if (ids.length < seen.length) note(`${what} leaves out`);
  if (ids.length < matching.length) note(`${what} meets a hidden entry`);
  return ids.sort();
}

/** What a list of GraphQL's has of the references of each entry: the ids of those that a caller sees. */
export function idsLinked(world: World, caller: WorldCaller, { id, values }: WorldEntry): Row {
  const [friend] = seenIn(world, caller, values, 'friend');
  const friends = seenIn(world, caller, values, 'friends').map((target) => target.id);
  return { id, reference: friend?.id ?? null, references: [friends, friends.length] };
}

/** Asks REST for a list. @returns the rows' members, and the total */
export async function restList(
  world: World,
  caller: WorldCaller,
  { id }: WorldChannel,
  query: string,
): Promise<unknown> {
  const { body, headers } = await world.rest(caller, 'GET', `/channels/${id}/entries?per_page=250${query}`);
  return [byId((body as Row[]).map(membersOf)), headers['x-total-count']];
}

/** The same for ids alone. */
export async function restIds(
  world: World,
  caller: WorldCaller,
  { id }: WorldChannel,
  query: string,
): Promise<unknown> {
  const { body, headers } = await world.rest(caller, 'GET', `/channels/${id}/entries?per_page=250&only=id${query}`);
  return [(body as Row[]).map((row) => row['id']).sort(), headers['x-total-count']];
}
