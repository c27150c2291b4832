// A bulk: each of its operations as the models have it by itself, in their order; and under `atomic` all or nothing.
import { expect } from '@jest/globals';
import type { Note } from './model.ts';
import { expectShown } from './read.ts';
import { payloadOf } from './references.ts';
import { chosen, known, maxEntries, slugs, type Operation, type Step } from './steps.ts';
import { graphqlEntry, graphqlInput, restBody, selection } from './wire.ts';
import type { World, WorldCaller, WorldChannel } from './world.ts';
import { decideCreate, decideDelete, decideUpdate, type Decided } from './writes.ts';

/** An operation as either door has it, and what becomes of it. */
interface Planned {
  readonly op: Operation['op'];
  readonly rest: Record<string, unknown>;
  readonly graphql: Record<string, unknown>;
  readonly decided: Decided;
}

const doneWith = { create: 201, update: 200, delete: 204 };

export async function bulk(
  world: World,
  { caller: at, channel: channelAt, atomic, door, operations }: Extract<Step, { do: 'bulk' }>,
  note: Note,
): Promise<void> {
  const caller = known(chosen(world.callers, at));
  const channel = known(chosen(caller.site.channels, channelAt));
  const restore = snapshot(world);
  const planned = operations.flatMap((operation) => plan(world, caller, channel, operation, note));
  if (planned.length === 0) return;
  const refused = planned.filter(({ decided }) => decided.outcome !== 'done').length;
  const isUndone = atomic && refused > 0;
  for (const { op, decided } of planned) note(`${op} in bulk${decided.outcome === 'done' ? '' : ' refused'}`);
  if (isUndone) note('atomic bulk undone');
  else if (refused < planned.length)
    note(atomic ? 'atomic bulk done' : refused > 0 ? 'bulk done in part' : 'bulk done');
  const results = await (door === 'rest' ? sendRest : sendGraphql)(world, caller, channel, atomic, planned);
  const expected = planned.map(({ op, decided: { outcome } }) =>
    outcome !== 'done' ? outcome : isUndone ? 409 : doneWith[op],
  );
  expect(results.map(({ status }) => status)).toEqual(expected);
  if (isUndone) {
    expect(results.filter(({ entry }) => entry)).toEqual([]);
    restore();
    return;
  }
  expectEntries(world, caller, planned, results);
}

/** Expects of each entry what it was when it was written; but where it leads is looked at when all is done. */
function expectEntries(
  world: World,
  caller: WorldCaller,
  planned: readonly Planned[],
  results: readonly Result[],
): void {
  for (const [index, { decided }] of planned.entries()) {
    const entry = decided.written?.entry;
    if (entry?.id === '') entry.id = String(results[index]?.entry?.['id']);
  }
  for (const [index, { decided }] of planned.entries()) {
    const answer = results[index]?.entry ?? null;
    if (decided.written === undefined) {
      expect(answer).toBeNull();
      continue;
    }
    const { entry, then, shown } = decided.written;
    expectShown(world, caller, answer ?? {}, { ...then, id: entry.id }, shown);
  }
}

/** What becomes of an operation, which is left out where it would make too many entries. */
function plan(world: World, caller: WorldCaller, channel: WorldChannel, operation: Operation, note: Note): Planned[] {
  const { op } = operation;
  if (op === 'create') return planCreate(world, caller, channel, operation, note);
  const there = world.entriesOf(caller.site, channel);
  const entry = operation.entry % 8 === 7 ? undefined : chosen(there, operation.entry);
  const slug = entry?.slug ?? slugs.find((each) => there.every((other) => other.slug !== each)) ?? 'none';
  if (op === 'delete') {
    const decided = entry ? decideDelete(world, caller, entry, note) : { outcome: 404 };
    return [{ op, rest: { op, id: slug }, graphql: { op: 'DELETE', id: slug }, decided }];
  }
  const payload = payloadOf(world, caller, channel, entry?.values ?? {}, operation.change);
  const decided = entry ? decideUpdate(world, caller, entry, payload, note) : { outcome: 404 };
  const graphql = { op: 'UPDATE', id: slug, input: graphqlInput(payload) };
  return [{ op, rest: { op, id: slug, data: restBody(payload) }, graphql, decided }];
}

function planCreate(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  { op, slug: slugAt, change }: Extract<Operation, { op: 'create' }>,
  note: Note,
): Planned[] {
  if (world.entriesOf(caller.site).length >= maxEntries) return [];
  const slug = known(chosen(slugs, slugAt));
  const payload = payloadOf(world, caller, channel, {}, change);
  const decided = decideCreate(world, caller, channel, slug, payload, note);
  const graphql = { op: 'CREATE', input: graphqlInput(payload, slug) };
  return [{ op, rest: { op, data: restBody(payload, slug) }, graphql, decided }];
}

/** How the model's entries are now. @returns what makes them so again */
function snapshot(world: World): () => void {
  const { entries, gone } = world;
  const copies = entries.map((entry) => ({ entry, copy: { ...entry } }));
  return () => {
    for (const { entry, copy } of copies) Object.assign(entry, copy);
    Object.assign(world, { entries, gone });
  };
}

interface Result {
  readonly status: number;
  /** By REST's names. */
  readonly entry?: Record<string, unknown> | null;
}

type Send = (
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  atomic: boolean,
  planned: readonly Planned[],
) => Promise<readonly Result[]>;

const sendRest: Send = async (world, caller, { id }, atomic, planned) => {
  const body = { atomic, operations: planned.map(({ rest }) => rest) };
  const answer = await world.rest(caller, 'POST', `/channels/${id}/entries/bulk`, body);
  expect(answer.status).toBe(200);
  return (answer.body as { results: Result[] }).results;
};

const mutation = `mutation ($channel: ID!, $operations: [EntryOperationInput!]!, $atomic: Boolean!) {
  result: bulkEntries(channel: $channel, operations: $operations, atomic: $atomic) {
    results { status entry ${selection} } } }`;

const sendGraphql: Send = async (world, caller, { id }, atomic, planned) => {
  const operations = planned.map(({ graphql }) => graphql);
  const { body } = await world.graphql(caller, mutation, { channel: id, operations, atomic });
  const { data } = body as { data: { result: { results: Result[] } } };
  return data.result.results.map(({ status, entry }) => ({ status, entry: entry ? graphqlEntry(entry) : null }));
};
