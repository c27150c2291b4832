// Holds explanations and previews against the models: a master token asks why each caller may do what, and what it sees; a user token
// asks the same, and is told of what it may read itself (docs/contract.md §10).
import { expect } from '@jest/globals';
import {
  channelCheck,
  entryRule,
  publicationRule,
  rightOn,
  rightToCreate,
  type Asker,
  type Decision,
} from './model.ts';
import type { Place } from './places.ts';
import { byId, seenOf } from './lists.ts';
import { sees } from './references.ts';
import { isMember, type World, type WorldCaller, type WorldChannel, type WorldSite } from './world.ts';

const decision = '{ allowed decidedBy key scope }';
const query = (places: number): string => {
  const each = Array.from({ length: places }, (_, at) => at);
  const fields = each.map(
    (at) => `at${at}: accessExplanation(channel: $channel${at}, id: $entry${at}, as: $as) { create ${decision}
      read ${decision} update ${decision} delete ${decision} publish ${decision} publication { visible } }`,
  );
  const declared = each.map((at) => `$channel${at}: ID! $entry${at}: ID!`);
  return `query ($as: ActorInput! ${declared.join(' ')}) { ${fields.join(' ')} }`;
};

interface Explained {
  readonly allowed: boolean;
  readonly decidedBy: string;
  readonly key: string | null;
  readonly scope: string | null;
}

/** The caller as an actor. A user token for a customer reads like a master token whose access is checked. */
function actorOf(caller: WorldCaller): Record<string, unknown> {
  const { kind, useAcl, customer, site } = caller;
  if (isMember(caller)) return { member: site.userId };
  return {
    ...(customer ? { customer: customer.id } : { anonymous: true }),
    ...(kind !== 'public' && { token: 'MASTER', useAcl: useAcl || kind === 'user' }),
  };
}

/** By the rule of the model that decided: what decided in the words of the explanation. */
function wordFor({ rule }: Decision): string {
  if (rule === 'bypass') return 'BYPASS';
  if (rule.startsWith('right')) return 'RIGHT';
  if (rule.startsWith('grant')) return 'GRANT';
  if (rule.startsWith('deny')) return 'DENY';
  return rule.startsWith('create') || rule.startsWith('channel check') ? 'CHANNEL' : 'DEFAULT';
}

function decisionsBy(asker: Asker, { channel: { rules }, entry: { state } }: Place): Record<string, Decision> {
  const right = (action: 'read' | 'update' | 'delete' | 'publish') => rightOn(action, rules, state, asker);
  const write = (action: 'update' | 'delete'): Decision => {
    const check = channelCheck(action, rules, asker);
    return right(action) ?? (check.allowed ? entryRule(action, rules, state, asker) : check);
  };
  // Of who is no member the actor has a master token, or a public one, which never publishes.
  const isNever = asker.member !== null || asker.kind === 'public';
  return {
    create: rightToCreate(rules, asker) ?? channelCheck('create', rules, asker),
    read: right('read') ?? entryRule('read', rules, state, asker),
    update: write('update'),
    delete: write('delete'),
    publish: right('publish') ?? (isNever ? { allowed: false, rule: 'never' } : write('update')),
  };
}

/** Who asks: the site's own master, or a user token that may ask as the actor. */
type Previewer = WorldCaller | 'master';

function previewersOf(world: World, { site, kind, useAcl }: WorldCaller): Previewer[] {
  // Access control is checked for a user token: it may not ask as a master token that bypasses it.
  const isBypassing = kind === 'master' && !useAcl;
  const users = isBypassing ? [] : world.callers.filter((each) => each.kind === 'user' && each.site === site);
  return ['master', ...users];
}

function ask(world: World, by: Previewer, site: WorldSite, document: string, variables: Record<string, unknown>) {
  return by === 'master' ? world.manage(site, document, variables) : world.graphql(by, document, variables);
}

/** Explanations of places say what the model decides for a caller; of an entry that is elsewhere they say nothing. */
export async function checkExplanations(world: World, caller: WorldCaller, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return;
  await Promise.all(previewersOf(world, caller).map((by) => checkExplained(world, caller, places, by)));
}

async function checkExplained(
  world: World,
  caller: WorldCaller,
  places: readonly Place[],
  by: Previewer,
): Promise<void> {
  const asker = world.asker(caller);
  const variables: Record<string, unknown> = { as: actorOf(caller) };
  const expected: Record<string, unknown> = {};
  for (const [at, place] of places.entries()) {
    const { channel, entry } = place;
    variables[`channel${at}`] = channel.id;
    variables[`entry${at}`] = entry.id;
    if (entry.channel !== channel || (by !== 'master' && !sees(world, by, entry))) {
      expected[`at${at}`] = null;
      continue;
    }
    const decisions = Object.entries(decisionsBy(asker, place)).map(([action, made]) => [
      action,
      [made.allowed, wordFor(made)],
    ]);
    const { allowed: visible } = publicationRule(channel.rules, entry.state, asker, Date.now());
    expected[`at${at}`] = { ...Object.fromEntries(decisions), publication: { visible } };
  }
  const { body } = await ask(world, by, caller.site, query(places.length), variables);
  const { data } = body as { data: Record<string, Record<string, Explained> | null> };
  const found = Object.entries(data).map(([at, told]) => {
    if (told === null) return [at, null];
    const { publication, ...actions } = told;
    const made = Object.entries(actions).map(([action, each]) => {
      expectReason(each, action === 'publish', by);
      return [action, [each.allowed, each.decidedBy]];
    });
    return [at, { ...Object.fromEntries(made), publication }];
  });
  const explained = `${caller.name}, to ${by === 'master' ? by : by.name}`;
  expect({ explained, ...Object.fromEntries(found) }).toEqual({ explained, ...expected });
}

/** A key is named where a key decided, and a scope where the channel did. */
function expectReason({ decidedBy, key, scope }: Explained, isPublish: boolean, by: Previewer): void {
  // Which role gives a right is told to managers, and to the member itself.
  if (decidedBy === 'RIGHT' && by !== 'master' && !isMember(by)) return;
  const named = [key !== null, scope !== null];
  const byKey = ['GRANT', 'DENY', 'RIGHT'].includes(decidedBy);
  // That somebody never publishes is no channel's decision.
  const byScope = decidedBy === 'CHANNEL' || (decidedBy === 'DEFAULT' && !isPublish);
  expect([decidedBy, named]).toEqual([
    decidedBy,
    [byKey, isPublish && decidedBy === 'DEFAULT' ? scope !== null : byScope],
  ]);
}

/** Lists that are read as a caller hold what the model lets that caller see, and whoever asks. */
export async function checkPreviews(
  world: World,
  caller: WorldCaller,
  channels: readonly WorldChannel[],
): Promise<void> {
  if (channels.length === 0) return;
  await Promise.all(previewersOf(world, caller).map((by) => checkPreviewed(world, caller, channels, by)));
}

async function checkPreviewed(
  world: World,
  caller: WorldCaller,
  channels: readonly WorldChannel[],
  by: Previewer,
): Promise<void> {
  const names = channels.map((_, at) => at);
  const lists = names.map(
    (at) => `list${at}: entries(channel: $list${at}, first: 10, as: $as) { totalCount nodes { id } }`,
  );
  const document = `query ($as: ActorInput! ${names.map((at) => `$list${at}: ID!`).join(' ')}) { ${lists.join(' ')} }`;
  const variables = Object.fromEntries(channels.map(({ id }, at) => [`list${at}`, id]));
  const { body } = await ask(world, by, caller.site, document, { ...variables, as: actorOf(caller) });
  const { data } = body as { data: Record<string, { totalCount: number; nodes: { id: string }[] }> };
  const found = names.map((at) => [data[`list${at}`]?.totalCount, byId(data[`list${at}`]?.nodes ?? [])]);
  const expected = channels.map((channel) => {
    const seen = seenOf(world, caller, channel).filter((entry) => by === 'master' || sees(world, by, entry));
    const ids = seen.map(({ id }) => ({ id }));
    return [ids.length, byId(ids)];
  });
  const previewed = `${caller.name}, by ${by === 'master' ? by : by.name}`;
  expect({ previewed, found }).toEqual({ previewed, found: expected });
}
