// Holds the service against the model: the SQL filter and the pure rules after each step, and both doors now and then.
import { expect } from '@jest/globals';
import { visibleEntries } from '../../src/db/where.ts';
import { Prisma, type Channel as ChannelRow } from '../../src/generated/prisma/client.ts';
import * as access from '../../src/rules/access.ts';
import { maySee as rulesMaySee, viewerOf } from '../../src/rules/visibility.ts';
import { maySee, mayCreate, rightTo, type Note } from './model.ts';
import { statusOf } from './wire.ts';
import type { World, WorldCaller, WorldChannel, WorldEntry } from './world.ts';

/** A version that no entry has: a write that may be done fails on it, and on nothing else. */
const noVersion = 999_999;

const silent: Note = () => undefined;

/** What the model lets a caller do with an entry. */
interface Expected {
  readonly sees: boolean;
  readonly update: 'may' | 403 | 404;
  readonly delete: 'may' | 403 | 404;
}

function expectedOf(world: World, caller: WorldCaller, entry: WorldEntry, note: Note): Expected {
  const { channel, state } = entry;
  const asker = world.asker(caller);
  const now = Date.now();
  return {
    sees: maySee(channel.rules, state, asker, now, note),
    update: rightTo('update', channel.rules, state, asker, now, note),
    delete: rightTo('delete', channel.rules, state, asker, now, note),
  };
}

/** The pure rules and the SQL filter say of every caller and entry what the model says. */
export async function checkRules(world: World, note: Note): Promise<void> {
  const filters: Prisma.Sql[] = [];
  const expected: string[] = [];
  const rules: unknown[] = [];
  const model: unknown[] = [];
  for (const [index, caller] of world.callers.entries()) {
    const { kind, customer } = world.asker(caller);
    const viewer = viewerOf({ caller: { kind, customer }, useAcl: caller.useAcl, now: new Date() }, false);
    for (const channel of caller.site.channels) {
      const acl = channel.rules.scopes;
      filters.push(Prisma.sql`(SELECT ${index}::int AS caller, e.id::text AS entry FROM entries e
        WHERE ${visibleEntries(rowOf(caller, channel), viewer)} LIMIT 100)`);
      const place = `${caller.name} in ${channel.id}`;
      rules.push([place, access.mayCreate(viewer.subject, acl)]);
      model.push([place, mayCreate(channel.rules, world.asker(caller), note)]);
      for (const entry of world.entriesOf(caller.site, channel)) {
        const { sees, ...rights } = expectedOf(world, caller, entry, note);
        const guarded = {
          ...entry.state,
          publishAt: entry.state.publishAt === null ? null : new Date(entry.state.publishAt),
        };
        rules.push({
          sees: rulesMaySee(viewer, { acl, publishable: channel.rules.publishable }, guarded),
          update: access.mayWrite(viewer.subject, 'update', acl, guarded),
          delete: access.mayWrite(viewer.subject, 'delete', acl, guarded),
        });
        model.push({ sees, update: rights.update === 'may', delete: rights.delete === 'may' });
        if (sees) expected.push(`${caller.name} sees ${entry.id}`);
      }
    }
  }
  expect(rules).toEqual(model);
  const rows = await world.db.$queryRaw<{ caller: number; entry: string }[]>`${Prisma.join(filters, ' UNION ALL ')}`;
  const found = rows.map(({ caller, entry }) => `${world.callers[caller]?.name} sees ${entry}`);
  expect(found.sort()).toEqual(expected.sort());
}

/** The row that the filter needs of a channel, from what the model holds. */
function rowOf({ site }: WorldCaller, { uid, rules: { scopes, publishable } }: WorldChannel): ChannelRow {
  return { siteId: site.id, uid, readScope: scopes.read, publishable } as ChannelRow;
}

/**
 * Both doors answer every caller what the model says: lists, counts, fetches, and the rights to update and delete. What
 * cannot have changed (the same entry or entries in the same state, channel and caller) is not asked again; but for lists,
 * GraphQL's always and REST's at the end of a history.
 */
export async function checkDoors(world: World, isEnd: boolean): Promise<void> {
  for (const caller of world.callers) {
    const channels = caller.site.channels.filter((channel) => hasListChanged(world, caller, channel) || isEnd);
    const places = placesFor(world, caller).filter((place) => hasPlaceChanged(world, caller, place));
    await Promise.all([checkRest(world, caller, channels, places), checkGraphql(world, caller, places)]);
  }
}

function hasListChanged(world: World, caller: WorldCaller, channel: WorldChannel): boolean {
  const states = world.entriesOf(caller.site, channel).map(({ id, state }) => [id, state]);
  return hasChanged(world, caller, channel.id, [world.asker(caller), channel.rules, states]);
}

function hasPlaceChanged(world: World, caller: WorldCaller, { channel, entry }: Place): boolean {
  const isHere = entry.channel === channel;
  const state = isHere && [world.asker(caller), channel.rules, entry.state];
  return hasChanged(world, caller, `${channel.id} ${entry.id}`, state);
}

/** Whether anything that an answer depends on is not as it was when this was last asked. */
function hasChanged(world: World, caller: WorldCaller, question: string, state: unknown): boolean {
  const key = `${caller.name} ${question}`;
  const now = JSON.stringify([world.headers(caller), state]);
  const before = world.asked.get(key);
  world.asked.set(key, now);
  return now !== before;
}

async function checkRest(
  world: World,
  caller: WorldCaller,
  channels: readonly WorldChannel[],
  places: readonly Place[],
): Promise<void> {
  const found: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  const ask = async (key: string, value: unknown, answer: Promise<unknown>): Promise<void> => {
    expected[key] = value;
    found[key] = await answer;
  };
  const stale = { 'If-Match': `"${noVersion}.x"` };
  const status = async (method: string, path: string, body?: unknown): Promise<number> =>
    (await world.rest(caller, method, path, body, method === 'GET' ? {} : stale)).status;
  const questions: Promise<void>[] = [];
  for (const channel of channels) {
    const path = `/channels/${channel.id}/entries`;
    const seen = world.entriesOf(caller.site, channel).filter((entry) => expectedOf(world, caller, entry, silent).sees);
    const ids = seen.map(({ id }) => id).sort();
    questions.push(
      ask(`list ${channel.id}`, [ids, String(ids.length)], listOf(world, caller, path)),
      ask(
        `count ${channel.id}`,
        { count: ids.length },
        world.rest(caller, 'GET', `${path}/count`).then(({ body }) => body),
      ),
    );
  }
  for (const { channel, entry } of places) {
    const { sees, ...rights } = answerAt(world, caller, channel, entry);
    const at = `/channels/${channel.id}/entries/${entry.id}`;
    questions.push(
      ask(`fetch ${at}`, sees ? 200 : 404, status('GET', at)),
      ask(`update ${at}`, rights.update === 'may' ? 412 : rights.update, status('PATCH', at, {})),
      ask(`delete ${at}`, rights.delete === 'may' ? 412 : rights.delete, status('DELETE', at)),
    );
  }
  await Promise.all(questions);
  expect({ rest: caller.name, ...found }).toEqual({ rest: caller.name, ...expected });
}

interface Place {
  readonly channel: WorldChannel;
  readonly entry: WorldEntry;
}

/** Where a caller asks for entries: each in its channel; one in the other channel, and one of the other site. */
function placesFor(world: World, { site }: WorldCaller): Place[] {
  const own = world.entriesOf(site).map((entry): Place => ({ channel: entry.channel, entry }));
  const [first] = own;
  const misplaced =
    first &&
    site.channels.filter((channel) => channel !== first.channel).map((channel) => ({ channel, entry: first.entry }));
  const foreign = world.entries.find((entry) => entry.site !== site);
  const abroad = site.channels
    .filter(({ id }) => id === foreign?.channel.id)
    .flatMap((channel) => (foreign ? [{ channel, entry: foreign }] : []));
  return [...own, ...(misplaced ?? []), ...abroad];
}

/** What a caller gets of an entry in a channel: nothing, where it is not there. */
function answerAt(world: World, caller: WorldCaller, channel: WorldChannel, entry: WorldEntry): Expected {
  return entry.channel === channel
    ? expectedOf(world, caller, entry, silent)
    : { sees: false, update: 404, delete: 404 };
}

async function listOf(world: World, caller: WorldCaller, path: string): Promise<unknown> {
  const { body, headers } = await world.rest(caller, 'GET', `${path}?per_page=250`);
  return [(body as { id: string }[]).map(({ id }) => id).sort(), headers['x-total-count']];
}

interface GraphqlBody {
  readonly data: Record<string, { nodes?: { id: string }[]; totalCount?: number; id?: string } | null>;
  readonly errors?: readonly { readonly path: readonly string[]; readonly extensions: { readonly code: string } }[];
}

async function checkGraphql(world: World, caller: WorldCaller, places: readonly Place[]): Promise<void> {
  const expected: Record<string, unknown> = {};
  const variables: Record<string, string> = {};
  for (const [at, channel] of caller.site.channels.entries()) {
    const seen = world.entriesOf(caller.site, channel).filter((entry) => expectedOf(world, caller, entry, silent).sees);
    variables[`list${at}`] = channel.id;
    expected[`list${at}`] = [seen.map(({ id }) => id).sort(), seen.length];
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
  const documents = documentsFor(caller.site.channels.length, places.length);
  const answers = await Promise.all(documents.map((document) => world.graphql(caller, document, variables)));
  const found = Object.assign({}, ...answers.map(({ body }) => outcomesOf(body as GraphqlBody))) as object;
  expect({ graphql: caller.name, ...found }).toEqual({ graphql: caller.name, ...expected });
}

/** A query and a mutation that ask for everything, the names in variables: one text for as many channels and places. */
function documentsFor(channels: number, places: number): string[] {
  const [lists, each] = [numbers(channels), numbers(places)];
  const declared = [
    ...lists.map((at) => `$list${at}: ID!`),
    ...each.map((at) => `$channel${at}: ID! $entry${at}: ID!`),
  ];
  const names = (at: number): string => `channel: $channel${at}, id: $entry${at}`;
  const reads = [
    ...lists.map((at) => `list${at}: entries(channel: $list${at}, first: 250) { totalCount nodes { id } }`),
    ...each.map((at) => `fetch${at}: entry(${names(at)}) { id }`),
  ];
  const writes = each.flatMap((at) => [
    `update${at}: updateEntry(${names(at)}, input: {}, ifVersion: ${noVersion}) { id }`,
    `delete${at}: deleteEntry(${names(at)}, ifVersion: ${noVersion})`,
  ]);
  const query = `query (${declared.join(' ')}) { ${reads.join(' ')} }`;
  // A document declares no more variables than it uses.
  const mutation = `mutation (${declared.slice(channels).join(' ')}) { ${writes.join(' ')} }`;
  return places === 0 ? [query] : [query, mutation];
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** By alias: what a list holds, the id of a fetched entry, or the status that stands for its refusal. */
function outcomesOf({ data, errors = [] }: GraphqlBody): Record<string, unknown> {
  const refusals = new Map(errors.map((error) => [error.path[0], statusOf(error)]));
  return Object.fromEntries(
    Object.entries(data).map(([alias, value]) => {
      if (value?.nodes) return [alias, [value.nodes.map(({ id }) => id).sort(), value.totalCount]];
      return [alias, value?.id ?? value ?? refusals.get(alias)];
    }),
  );
}
