// Steps that no caller of a world makes: the time of an entry comes, and a channel is deleted and made anew.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { fieldsOf, type World } from './world.ts';
import { chosen, known, type Step } from './steps.ts';
import { readGraphql } from './wire.ts';

type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>;

/** How far ahead an entry is scheduled, in milliseconds: it is stored before. */
const ahead = 40;

/** Schedules an entry for a time, and waits until that has come. Nobody may have recorded it by then. */
export async function publishByTime(world: World, { site: siteAt, entry: at }: Of<'moment'>): Promise<void> {
  const site = known(chosen(world.sites, siteAt));
  const entry = chosen(world.entriesOf(site), at);
  if (entry === undefined) return;
  const publishAt = Date.now() + ahead;
  const scheduled = await world.manage(
    site,
    `mutation ($channel: ID!, $id: ID!, $input: EntryInput!) {
      result: updateEntry(channel: $channel, id: $id, input: $input) { id } }`,
    {
      channel: entry.channel.id,
      id: entry.id,
      input: { status: 'SCHEDULED', publishAt: new Date(publishAt).toISOString() },
    },
  );
  expect(readGraphql(scheduled).outcome).toBe('done');
  Object.assign(entry, {
    state: { ...entry.state, status: 'scheduled', publishAt },
    version: entry.version + 1,
  });
  while (Date.now() <= publishAt) await sleep(publishAt - Date.now() + 1);
  world.feeds.note(entry);
}

/** Deletes a channel, and makes another one with its id and settings. */
export async function replaceChannel(world: World, { site: siteAt, channel: at }: Of<'replace'>): Promise<void> {
  const site = known(chosen(world.sites, siteAt));
  const channel = known(chosen(site.channels, at));
  const { id, leads, rules } = channel;
  world.feeds.noteDeletion(world, site, channel);
  const entries = world.entriesOf(site, channel);
  const deleted = await world.manage(site, 'mutation ($id: ID!) { result: deleteChannel(id: $id, confirm: $id) }', {
    id,
  });
  expect(readGraphql(deleted).outcome).toBe('done');
  world.entries = world.entries.filter((entry) => !entries.includes(entry));
  world.gone = [...world.gone, ...entries];
  const acl = Object.fromEntries(Object.entries(rules.scopes).map(([action, scope]) => [action, scope.toUpperCase()]));
  const fields = (leads ? fieldsOf(leads) : []).map((field) => ({ ...field, type: field.type?.toUpperCase() }));
  const made = await world.manage(
    site,
    'mutation ($input: ChannelInput!) { result: createChannel(input: $input) { id } }',
    {
      input: { id, acl, fields, publishable: rules.publishable },
    },
  );
  expect(readGraphql(made).outcome).toBe('done');
  const { uid } = await world.db.channel.findFirstOrThrow({ where: { siteId: site.id, id } });
  channel.rules = { ...rules, uid };
}
