// A step, done to the service through one of its doors and to the model; what becomes of it must be the same.
import { expect } from '@jest/globals';
import { buildToken } from '../../support/build.ts';
import { bulk } from './bulk.ts';
import { rightTo, type Note, type Right } from './model.ts';
import { publishByTime, replaceChannel } from './moments.ts';
import { expectShown } from './read.ts';
import { hiddenIn, payloadOf, referenceFields, sees, silent } from './references.ts';
import { type builtInRoles, chosen, known, maxEntries, slugs, type Step } from './steps.ts';
import { graphqlInput, readGraphql, readRest, restBody, selection, timeOf, type Written } from './wire.ts';
import { createTyped, deleteTyped, isTyped, updateTyped } from './typed.ts';
import { ownRole, type World, type WorldCaller, type WorldEntry, type WorldSite } from './world.ts';
import { decideCreate, decideDelete, decidePublish, decideUpdate, type Decided } from './writes.ts';

type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>;

/** Does a step. */
export async function apply(world: World, step: Step, note: Note): Promise<void> {
  switch (step.do) {
    case 'create':
      return create(world, step, note);
    case 'update':
      return update(world, step, note);
    case 'delete':
      return remove(world, step, note);
    case 'bulk':
      return bulk(world, step, note);
    case 'channel':
      return changeChannel(world, step, note);
    case 'roles':
      return changeRoles(world, step);
    case 'rights':
      return changeRights(world, step);
    case 'publish':
      return publish(world, step, note);
    case 'session':
      return endSession(world, step);
    case 'token':
      return endToken(world, known(chosen(world.callers, step.caller)));
    case 'membership':
      return endMembership(world, known(chosen(world.sites, step.site)));
    case 'replace':
      return replaceChannel(world, step);
    case 'moment':
      await publishByTime(world, step);
      await apply(world, step.then, note);
      return world.announce();
  }
}

async function create(
  world: World,
  { caller: at, channel: channelAt, slug: slugAt, change, door }: Of<'create'>,
  note: Note,
) {
  const caller = known(chosen(world.callers, at));
  const channel = known(chosen(caller.site.channels, channelAt));
  if (world.entriesOf(caller.site).length >= maxEntries) return;
  const slug = known(chosen(slugs, slugAt));
  const payload = payloadOf(world, caller, channel, {}, change);
  const decided = decideCreate(world, caller, channel, slug, payload, note);
  const isTypedDoor = door === 'typed' && isTyped(world, caller, channel);
  const written = isTypedDoor
    ? await createTyped(world, caller, channel, payload, slug)
    : door === 'rest'
      ? readRest(await world.rest(caller, 'POST', `/channels/${channel.id}/entries`, restBody(payload, slug)))
      : readGraphql(
          await world.graphql(
            caller,
            `mutation ($channel: ID!, $input: EntryInput!) { result: createEntry(channel: $channel, input: $input) ${selection} }`,
            { channel: channel.id, input: graphqlInput(payload, slug) },
          ),
        );
  expectWritten(world, caller, written, decided);
}

/** Expects what the model decided. A new entry gets its id. */
function expectWritten(
  world: World,
  caller: WorldCaller,
  { outcome, entry: answer, hasAll = false }: Written,
  decided: Decided,
): void {
  expect(outcome).toBe(decided.outcome);
  if (decided.written === undefined) return;
  const { entry, shown } = decided.written;
  if (entry.id === '') entry.id = String(answer['id']);
  const isTold = ([name, value]: readonly [string, unknown]): boolean =>
    value !== null || !['title', 'word', 'n'].includes(name) || shown.sent.includes(name);
  const told = hasAll && !shown.all ? Object.fromEntries(Object.entries(answer).filter(isTold)) : answer;
  expectShown(world, caller, told, entry, shown);
}

async function update(world: World, { caller: at, rather, entry: entryAt, change, door }: Of<'update'>, note: Note) {
  const first = known(chosen(world.callers, at));
  const { caller, entry } = (rather === 'hiding' ? whoSeesLess(world, first, entryAt) : undefined) ?? {
    caller: first,
    entry: chosen(world.entriesOf(first.site), entryAt),
  };
  if (entry === undefined) return;
  const { id: channelId } = entry.channel;
  const payload = payloadOf(world, caller, entry.channel, entry.values, change);
  const decided = decideUpdate(world, caller, entry, payload, note);
  const isTypedDoor = door === 'typed' && isTyped(world, caller, entry.channel);
  const written = isTypedDoor
    ? await updateTyped(world, caller, entry.channel, entry.id, payload)
    : door === 'rest'
      ? readRest(await world.rest(caller, 'PATCH', `/channels/${channelId}/entries/${entry.id}`, restBody(payload)))
      : readGraphql(
          await world.graphql(
            caller,
            `mutation ($channel: ID!, $id: ID!, $input: EntryInput!) { result: updateEntry(channel: $channel, id: $id, input: $input) ${selection} }`,
            { channel: channelId, id: entry.id, input: graphqlInput(payload) },
          ),
        );
  expectWritten(world, caller, written, decided);
}

/**
 * A caller, the first named if it may be, and an entry that it may update and that refers to what is hidden from it; one
 * whose list hides something while there is something else to put there, if there is one.
 */
function whoSeesLess(
  world: World,
  first: WorldCaller,
  entryAt: number,
): { caller: WorldCaller; entry: WorldEntry } | undefined {
  const at = world.callers.indexOf(first);
  const pairs = [...world.callers.slice(at), ...world.callers.slice(0, at)].map((caller) => ({
    caller,
    entries: world.entriesOf(caller.site).filter((entry) => mayUpdateHiding(world, caller, entry)),
  }));
  const hasChoice = (caller: WorldCaller, { channel, values }: WorldEntry): boolean =>
    hiddenIn(world, caller, values, 'friends').length > 0 &&
    world
      .entriesOf(caller.site)
      .some((each) => each.channel.id === channel.leads?.friends && sees(world, caller, each));
  const best = pairs.map(({ caller, entries }) => ({
    caller,
    entries: entries.filter((entry) => hasChoice(caller, entry)),
  }));
  const found = [...best, ...pairs].find(({ entries }) => entries.length > 0);
  const entry = found && chosen(found.entries, entryAt);
  return found && entry && { caller: found.caller, entry };
}

function mayUpdateHiding(world: World, caller: WorldCaller, { channel, state, values }: WorldEntry): boolean {
  const right = rightTo('update', channel.rules, state, world.asker(caller), Date.now(), silent);
  return right === 'may' && referenceFields.some((field) => hiddenIn(world, caller, values, field).length > 0);
}

async function remove(world: World, { caller: at, entry: entryAt, door }: Of<'delete'>, note: Note) {
  const caller = known(chosen(world.callers, at));
  const entry = chosen(world.entriesOf(caller.site), entryAt);
  if (entry === undefined) return;
  const variables = { channel: entry.channel.id, id: entry.id };
  const query = 'mutation ($channel: ID!, $id: ID!) { result: deleteEntry(channel: $channel, id: $id) }';
  const decided = decideDelete(world, caller, entry, note);
  const isTypedDoor = door === 'typed' && isTyped(world, caller, entry.channel);
  const { outcome } = isTypedDoor
    ? await deleteTyped(world, caller, entry.channel, entry.id)
    : door === 'rest'
      ? readRest(await world.rest(caller, 'DELETE', `/channels/${variables.channel}/entries/${entry.id}`))
      : readGraphql(await world.graphql(caller, query, variables));
  expect(outcome).toBe(decided.outcome);
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
    uid: channel.rules.uid,
    scopes: { ...channel.rules.scopes, ...scopes },
    publishable: publishable ?? channel.rules.publishable,
  };
  world.feeds.noteChannel(world, site, channel);
}

async function changeRoles(world: World, { site: siteAt, customer: at, roles }: Of<'roles'>) {
  const site = known(chosen(world.sites, siteAt));
  const customer = known(chosen(site.customers, at));
  const query =
    'mutation ($id: ID!, $roles: [String!]) { result: updateCustomer(id: $id, input: { roles: $roles }) { id } }';
  expect(readGraphql(await world.manage(site, query, { id: customer.id, roles })).outcome).toBe('done');
  customer.roles = roles;
  world.feeds.startOver(customer);
}

const builtIn: Readonly<Record<(typeof builtInRoles)[number], readonly string[]>> = {
  viewer: ['read'],
  author: ['read', 'create', 'update:own', 'delete:own'],
  editor: ['read', 'create', 'update', 'delete'],
  publisher: ['read', 'create', 'update', 'delete', 'publish', 'access'],
  owner: ['*'],
};

/** Gives a site's member other roles: its role of the site's own gets other rights, too. */
async function changeRights(world: World, { site: siteAt, roles, rights }: Of<'rights'>) {
  const site = known(chosen(world.sites, siteAt));
  const changed = await world.manage(
    site,
    `mutation ($user: ID!, $roles: [String!]!, $role: ID!, $rights: [String!]!) {
      updateRole(id: $role, input: { rights: $rights }) { id }
      result: updateMember(user: $user, roles: $roles) { user } }`,
    { user: site.userId, roles: [...roles, ownRole], role: ownRole, rights },
  );
  expect(readGraphql(changed).outcome).toBe('done');
  const read = (text: string): Right => {
    const [form = '', channel] = text.split('@');
    const uid = channel === undefined ? null : known(site.channels.find(({ id }) => id === channel)).rules.uid;
    return { name: form.replace(':own', '') as Right['name'], own: form.endsWith(':own'), channel: uid };
  };
  site.roles = [
    ...roles.map((id) => ({ id, rights: builtIn[id].map(read) })),
    { id: ownRole, rights: rights.map(read) },
  ];
  world.feeds.startOverMember(site);
}

async function publish(world: World, { caller: at, entry: entryAt, to, publishAt, door }: Of<'publish'>, note: Note) {
  const caller = known(chosen(world.callers, at));
  const entry = chosen(world.entriesOf(caller.site), entryAt);
  if (entry === undefined) return;
  const { channel, id } = entry;
  const publication = { to, ...(to === 'publish' && publishAt !== undefined && { publishAt }) };
  const decided = decidePublish(world, caller, entry, publication, note);
  const time = publication.publishAt === undefined ? undefined : timeOf(publication.publishAt);
  const name = `${to}Entry`;
  const [declared, given] =
    to === 'publish' ? [', $publication: PublicationInput', ', publication: $publication'] : ['', ''];
  const written =
    door === 'rest'
      ? readRest(
          await world.rest(
            ...([caller, 'POST', `/channels/${channel.id}/entries/${id}/${to}`] as const),
            time === undefined ? undefined : { publish_at: time },
          ),
        )
      : readGraphql(
          await world.graphql(
            caller,
            `mutation ($channel: ID!, $id: ID!${declared}) { result: ${name}(channel: $channel, id: $id${given}) ${selection} }`,
            { channel: channel.id, id, ...(time !== undefined && { publication: { publishAt: time } }) },
          ),
        );
  expectWritten(world, caller, written, decided);
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
  site.roles = [];
  world.feeds.startOverMember(site);
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
