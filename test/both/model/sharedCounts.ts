// Holds counts against the models around a publication time: they are shared between requests, and time alone ends that
// (docs/contract.md §5.14).
import { expect } from '@jest/globals';
import { seenOf } from './lists.ts';
import type { World, WorldCaller, WorldChannel } from './world.ts';

/** How far ahead the time is, in milliseconds: less than counts are shared. */
const ahead = 150;

/**
 * Schedules an entry of a publishable channel, has everybody count it until its time has come, and counts once more. It comes last in
 * a history, because the states of entries change by themselves here.
 */
export async function checkMoment(world: World): Promise<void> {
  const entry = world.entries.find(({ channel }) => channel.rules.publishable);
  if (entry === undefined) return;
  const { channel, site } = entry;
  const publishAt = Date.now() + ahead;
  const document = `mutation ($channel: ID!, $id: ID!, $at: DateTime) {
    updateEntry(channel: $channel, id: $id, input: { status: SCHEDULED, publishAt: $at }) { id } }`;
  const variables = { channel: channel.id, id: entry.id, at: new Date(publishAt).toISOString() };
  const { body } = await world.manage(site, document, variables);
  expect(body).toEqual({ data: { updateEntry: { id: entry.id } } });
  entry.state = { ...entry.state, status: 'scheduled', publishAt };
  const callers = world.callers.filter((each) => each.site === site);
  const countAll = (): Promise<unknown[]> => Promise.all(callers.map((caller) => countOf(world, caller, channel)));
  while (Date.now() < publishAt) await countAll();
  expect(await countAll()).toEqual(callers.map((caller) => seenOf(world, caller, channel).length));
}

async function countOf(world: World, caller: WorldCaller, { id }: WorldChannel): Promise<unknown> {
  const { body } = await world.rest(caller, 'GET', `/channels/${id}/entries/count`);
  return (body as { count?: number }).count;
}
