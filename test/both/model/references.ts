// The reference model of references (docs/contract.md §6): who may name which entries, what a field holds after a write, and what
// each caller reads of it. Written from the contract, sharing no code with src/.
import { randomUUID } from 'node:crypto';
import { entryRule, maySee, type Note } from './model.ts';
import { ownedByMember, type Change, type Pick } from './steps.ts';
import type { Values, World, WorldCaller, WorldChannel, WorldEntry } from './world.ts';

/** A change as it is sent: with names for the entries that it refers to. */
export interface Payload extends Omit<Change, 'friend' | 'friends'> {
  readonly friend?: Naming;
  readonly friends?: Naming;
}

/** What is sent for a reference field, and the entries that it names: null where it is the name of none. */
export interface Naming {
  readonly sent: unknown;
  readonly targets: readonly (WorldEntry | null)[];
}

type Field = 'friend' | 'friends';
export const referenceFields: readonly Field[] = ['friend', 'friends'];

export const silent: Note = () => undefined;

/** Whether a caller may fetch an entry of its site. */
export function sees(world: World, caller: WorldCaller, entry: WorldEntry, note: Note = silent): boolean {
  return maySee(entry.channel.rules, entry.state, world.asker(caller), Date.now(), note);
}

/** What a field holds, in a list. */
export function heldIn(values: Values, field: Field): readonly WorldEntry[] {
  return [values[field] ?? []].flat();
}

/** What a caller sees of what a field holds. */
export function seenIn(world: World, caller: WorldCaller, values: Values, field: Field): WorldEntry[] {
  return heldIn(values, field).filter((target) => world.entries.includes(target) && sees(world, caller, target));
}

/** What of a field's targets is hidden from a caller. */
export function hiddenIn(world: World, caller: WorldCaller, values: Values, field: Field): WorldEntry[] {
  return heldIn(values, field).filter((target) => world.entries.includes(target) && !sees(world, caller, target));
}

/** A change in the words of a caller, who updates an entry that holds some values, or creates one. */
export function payloadOf(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  held: Values,
  { friend, friends, owner, ...rest }: Change,
): Payload {
  const named = owner === ownedByMember ? `member:${caller.site.userId}` : owner;
  const others = { ...rest, ...(named !== undefined && { owner: named }) };
  const { leads } = channel;
  if (leads === null) return others;
  const picked = (pick: Pick, field: Field): Name[] => nameOf(world, caller, leads[field], pick);
  const read = (field: Field): Name[] =>
    seenIn(world, caller, held, field).map((target) => [target.id === '' ? target.slug : stubOf(target), target]);
  const one =
    friend === undefined || friend === null ? [] : friend === 'as read' ? read('friend') : picked(friend, 'friend');
  const list =
    friends === undefined || friends === null
      ? []
      : typeof friends === 'string'
        ? read('friends').slice(friends === 'as read' ? 0 : 1)
        : friends.flatMap((pick) => picked(pick, 'friends'));
  return {
    ...others,
    ...(friend !== undefined && { friend: { sent: one[0]?.[0] ?? null, targets: one.map(([, target]) => target) } }),
    ...(friends !== undefined && {
      friends: {
        sent: friends === null ? null : list.map(([sent]) => sent),
        targets: list.map(([, target]) => target),
      },
    }),
  };
}

/** What is sent for an entry, and that entry; null where it is the name of none. */
type Name = readonly [unknown, WorldEntry | null];

/** One of the names of the entry that a pick means; nothing where there is no entry near. */
function nameOf(world: World, caller: WorldCaller, channelId: string, pick: Pick): Name[] {
  const [where, number] = pick.split(' ');
  const at = Number(number);
  const isNear = where !== 'any';
  const near = world
    .entriesOf(caller.site)
    .filter((entry) => entry.channel.id === channelId && (where === 'near' || sees(world, caller, entry)));
  const all = [...world.entries, ...world.gone].filter(({ id }) => id !== '');
  const pool = isNear ? near : all;
  const target = pool[at % pool.length];
  if (target === undefined) return isNear ? [] : [[randomUUID(), null]];
  // A slug names an entry within the field's channel alone, and is all that a bulk's own entries have.
  const names = target.id === '' ? [target.slug] : [target.id, { id: target.id }, ...(isNear ? [target.slug] : [])];
  return [[names[at % names.length], target]];
}

/** What an entry's fields hold after a write, or 422. */
export function valuesAfter(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  before: Values,
  { title, word, n, friend, friends }: Payload,
  note: Note,
): Values | 422 {
  const after: { -readonly [Name in keyof Values]: Values[Name] } = {
    ...before,
    ...(title !== undefined && { title }),
    ...(word !== undefined && { word }),
    ...(n !== undefined && { n }),
  };
  const { leads } = channel;
  if (leads === null) return after;
  const sent = { friend, friends };
  const mayName = (field: Field): boolean =>
    sent[field]?.targets.every((target) => mayRefer(world, caller, leads[field], target, note)) ?? true;
  if (!referenceFields.every(mayName)) return 422;
  if (friend) {
    const [first] = targetsAfter(world, caller, before, 'friend', friend, note);
    if (first) after.friend = first;
    else delete after.friend;
  }
  if (friends) {
    const list = targetsAfter(world, caller, before, 'friends', friends, note);
    if (list.length > 0) after.friends = list;
    else delete after.friends;
  }
  return after;
}

/** Whether a caller may refer to an entry, in a field that leads to a channel of its site. */
function mayRefer(
  world: World,
  caller: WorldCaller,
  channelId: string,
  target: WorldEntry | null,
  note: Note,
): target is WorldEntry {
  const how = (): string => {
    if (target === null || !world.entries.includes(target)) return 'gone';
    if (target.site !== caller.site) return 'of another site';
    if (target.channel.id !== channelId) return 'of another channel';
    if (sees(world, caller, target)) return 'visible';
    const mayRead = entryRule('read', target.channel.rules, target.state, world.asker(caller)).allowed;
    return `hidden by ${mayRead ? 'publication' : 'access'}`;
  };
  const standing = how();
  note(`target ${standing}`);
  return standing === 'visible';
}

/** What a field holds after a write: what was sent, once each, and behind it what the writer does not see. */
function targetsAfter(
  world: World,
  caller: WorldCaller,
  before: Values,
  field: Field,
  { sent, targets }: Naming,
  note: Note,
): readonly WorldEntry[] {
  const held = heldIn(before, field);
  const seen = seenIn(world, caller, before, field);
  const hidden = hiddenIn(world, caller, before, field);
  const named = [...new Set(targets)].filter((target) => target !== null);
  const isAsRead = named.length === seen.length && named.every((target, at) => target === seen[at]);
  if (hidden.length > 0) {
    if (sent === null) note('null sent, hidden targets kept');
    else if (isAsRead) note('what is seen sent back, hidden targets kept');
    else note(field === 'friend' ? 'hidden target replaced' : 'other targets sent, hidden ones kept behind them');
  }
  return isAsRead ? held : [...named, ...hidden];
}

export function sameValues(one: Values, other: Values): boolean {
  const scalars = ({ title, word, n }: Values): string => JSON.stringify([title, word, n]);
  const sameIn = (field: Field): boolean => {
    const [these, those] = [heldIn(one, field), heldIn(other, field)];
    return these.length === those.length && these.every((target, at) => target === those[at]);
  };
  return scalars(one) === scalars(other) && referenceFields.every(sameIn);
}

/** What stands for an entry where it is referred to. */
export function stubOf({ id, slug, channel, values }: WorldEntry): Record<string, unknown> {
  return { id, channel: channel.id, slug, title_field_value: values.title ?? null };
}
