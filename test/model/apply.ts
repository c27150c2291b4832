// A step, done to the service through one of its doors and to the model; what becomes of it must be the same.
import { expect } from '@jest/globals';
import { buildToken } from '../support/build.ts';
import { isDeepStrictEqual } from 'node:util';
import { afterWrite, maySee, mayCreate, rightTo, seesAcl, type Note } from './model.ts';
import { slugs, type Step } from './steps.ts';
import { expectShown, graphqlInput, readGraphql, readRest, restBody, selection, type Shown } from './wire.ts';
import type { World, WorldCaller, WorldEntry, WorldSite } from './world.ts';

/** A site holds no more entries than this, so that each has something to do with the others. */
const mostEntries = 3;

type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>;

/** The one that an index of a step chooses, or undefined where there is none. */
function chosen<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % items.length];
}

function known<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('every world has callers, channels and customers');
  return item;
}

/** Does a step. */
export async function apply(world: World, step: Step, note: Note): Promise<void> {
  switch (step.do) {
    case 'create':
      return create(world, step, note);
    case 'update':
      return update(world, step, note);
    case 'delete':
      return remove(world, step, note);
    case 'channel':
      return changeChannel(world, step, note);
    case 'roles':
      return changeRoles(world, step);
    case 'session':
      return endSession(world, step);
    case 'token':
      return endToken(world, known(chosen(world.callers, step.caller)));
    case 'membership':
      return endMembership(world, known(chosen(world.sites, step.site)));
  }
}

/** A whole entry, with its access list and owner or without. */
function whole(privileged: boolean): Shown {
  return { all: true, title: true, acl: privileged, owner: privileged };
}

async function create(
  world: World,
  { caller: at, channel: channelAt, slug: slugAt, change, door }: Of<'create'>,
  note: Note,
) {
  const caller = known(chosen(world.callers, at));
  const { site } = caller;
  const channel = known(chosen(site.channels, channelAt));
  if (world.entriesOf(site).length >= mostEntries) return;
  const asker = world.asker(caller);
  const slug = known(chosen(slugs, slugAt));
  const after = mayCreate(channel.rules, asker, note) ? afterWrite(channel.rules, null, change, asker, note) : 403;
  const taken = world.entriesOf(site, channel).some((entry) => entry.slug === slug);
  const expected = typeof after === 'number' ? after : taken ? 409 : 'done';
  const written =
    door === 'rest'
      ? readRest(await world.rest(caller, 'POST', `/channels/${channel.id}/entries`, restBody(change, slug)))
      : readGraphql(
          await world.graphql(
            caller,
            `mutation ($channel: ID!, $input: EntryInput!) { result: createEntry(channel: $channel, input: $input) ${selection} }`,
            { channel: channel.id, input: graphqlInput(change, slug) },
          ),
        );
  expect(written.outcome).toBe(expected);
  if (expected !== 'done' || typeof after === 'number') return;
  const id = String(written.entry['id']);
  const entry: WorldEntry = { id, slug, site, channel, state: after, title: change.title, version: 1 };
  world.entries.push(entry);
  expectShown(written.entry, entry, whole(seesAcl(after, asker)));
}

async function update(world: World, { caller: at, entry: entryAt, change, door }: Of<'update'>, note: Note) {
  const caller = known(chosen(world.callers, at));
  const entry = chosen(world.entriesOf(caller.site), entryAt);
  if (entry === undefined) return;
  const asker = world.asker(caller);
  const { rules, id: channelId } = entry.channel;
  const right = rightTo('update', rules, entry.state, asker, Date.now(), note);
  const after = right === 'may' ? afterWrite(rules, entry.state, change, asker, note) : right;
  const owns = asker.customer !== null && entry.state.owner === asker.customer.id;
  const sees = maySee(rules, entry.state, asker, Date.now(), () => undefined);
  const written =
    door === 'rest'
      ? readRest(await world.rest(caller, 'PATCH', `/channels/${channelId}/entries/${entry.id}`, restBody(change)))
      : readGraphql(
          await world.graphql(
            caller,
            `mutation ($channel: ID!, $id: ID!, $input: EntryInput!) { result: updateEntry(channel: $channel, id: $id, input: $input) ${selection} }`,
            { channel: channelId, id: entry.id, input: graphqlInput(change) },
          ),
        );
  expect(written.outcome).toBe(typeof after === 'number' ? after : 'done');
  if (typeof after === 'number') return;
  if (!sees) note(owns ? 'full answer to an owner who may not read' : 'limited answer to a writer who may not read');
  const title = change.title ?? entry.title;
  if (!isDeepStrictEqual([after, title], [entry.state, entry.title])) entry.version += 1;
  Object.assign(entry, { state: after, title });
  const isMaster = asker.kind === 'master';
  const sent = { acl: isMaster && change.acl !== undefined, owner: isMaster && change.owner !== undefined };
  const limited = { all: false, title: change.title !== undefined, ...sent };
  expectShown(written.entry, entry, sees || owns ? whole(seesAcl(after, asker)) : limited);
}

async function remove(world: World, { caller: at, entry: entryAt, door }: Of<'delete'>, note: Note) {
  const caller = known(chosen(world.callers, at));
  const entry = chosen(world.entriesOf(caller.site), entryAt);
  if (entry === undefined) return;
  const { rules, id: channelId } = entry.channel;
  const right = rightTo('delete', rules, entry.state, world.asker(caller), Date.now(), note);
  const outcome =
    door === 'rest'
      ? readRest(await world.rest(caller, 'DELETE', `/channels/${channelId}/entries/${entry.id}`)).outcome
      : readGraphql(
          await world.graphql(
            caller,
            'mutation ($channel: ID!, $id: ID!) { result: deleteEntry(channel: $channel, id: $id) }',
            {
              channel: channelId,
              id: entry.id,
            },
          ),
        ).outcome;
  expect(outcome).toBe(right === 'may' ? 'done' : right);
  if (right === 'may') world.entries = world.entries.filter((each) => each !== entry);
}

async function changeChannel(
  world: World,
  { site: siteAt, channel: at, scopes, publishable, confirm }: Of<'channel'>,
  note: Note,
) {
  const site = known(chosen(world.sites, siteAt));
  const channel = known(chosen(site.channels, at));
  const now = Date.now();
  const hides = ({ state }: WorldEntry): boolean => state.status === 'draft' || (state.publishAt ?? now) > now;
  const exposes = channel.rules.publishable && publishable === false && world.entriesOf(site, channel).some(hides);
  const acl = Object.fromEntries(Object.entries(scopes).map(([action, scope]) => [action, scope.toUpperCase()]));
  const answer = await world.manage(
    site,
    'mutation ($id: ID!, $input: ChannelPatch!, $confirm: ID) { result: updateChannel(id: $id, input: $input, confirm: $confirm) { id } }',
    {
      id: channel.id,
      input: { acl, ...(publishable !== undefined && { publishable }) },
      confirm: confirm ? channel.id : null,
    },
  );
  const isRefused = exposes && !confirm;
  if (exposes) note(confirm ? 'confirmed exposure' : 'refused exposure');
  expect(readGraphql(answer).outcome).toBe(isRefused ? 409 : 'done');
  if (isRefused) return;
  channel.rules = {
    scopes: { ...channel.rules.scopes, ...scopes },
    publishable: publishable ?? channel.rules.publishable,
  };
}

async function changeRoles(world: World, { site: siteAt, customer: at, roles }: Of<'roles'>) {
  const site = known(chosen(world.sites, siteAt));
  const customer = known(chosen(site.customers, at));
  const query =
    'mutation ($id: ID!, $roles: [String!]) { result: updateCustomer(id: $id, input: { roles: $roles }) { id } }';
  expect(readGraphql(await world.manage(site, query, { id: customer.id, roles })).outcome).toBe('done');
  customer.roles = roles;
}

async function endSession(world: World, { site: siteAt, customer: at }: Of<'session'>) {
  const site = known(chosen(world.sites, siteAt));
  const customer = known(chosen(site.customers, at));
  const ended = await world.manage(site, 'mutation ($id: ID!) { result: revokeSession(id: $id) }', {
    id: customer.session.id,
  });
  expect(readGraphql(ended).outcome).toBe('done');
  for (const caller of world.callers.filter((each) => each.customer === customer)) {
    expect((await world.rest(caller, 'GET', '/channels/articles/entries')).status).toBe(401);
  }
  const begun = await world.manage(
    site,
    'mutation ($customer: ID!) { result: createSession(customer: $customer) { id token } }',
    { customer: customer.id },
  );
  customer.session = readGraphql(begun).entry as unknown as { id: string; token: string };
}

async function endToken(world: World, caller: WorldCaller) {
  const { kind, site, token } = caller;
  if (kind === 'user') {
    await world.db.token.update({ where: { id: token.id }, data: { revokedAt: new Date() } });
  } else {
    const ended = await world.manage(site, 'mutation ($id: ID!) { result: revokeToken(id: $id) }', { id: token.id });
    expect(readGraphql(ended).outcome).toBe('done');
  }
  await becomes(401, async () => (await world.rest(caller, 'GET', '/channels/articles/entries')).status);
  const bound = kind === 'user' ? { kind, userId: site.userId } : { kind, siteId: site.id };
  caller.token = await buildToken(world.db, bound);
}

async function endMembership(world: World, site: WorldSite) {
  const where = { siteId: site.id, userId: site.userId };
  await world.db.membership.delete({ where: { siteId_userId: where } });
  for (const caller of world.callers.filter((each) => each.kind === 'user' && each.site === site)) {
    await becomes(403, async () => (await world.rest(caller, 'GET', '/channels/articles/entries')).status);
  }
  await world.db.membership.create({ data: { ...where, createdAt: new Date() } });
}

/**
 * What another process changed holds within a second; here the database was changed past the service. What was asked
 * within it may be answered as before however long that takes; what is asked after it may not.
 */
async function becomes(expected: number, status: () => Promise<number>): Promise<void> {
  const holdsAt = performance.now() + 1_000;
  for (;;) {
    const isLast = performance.now() >= holdsAt;
    const found = await status();
    if (found === expected) return;
    if (isLast) expect(found).toBe(expected);
  }
}
