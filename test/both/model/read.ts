// What a caller reads of an entry by the models, and the same of what was answered.
import { expect } from '@jest/globals';
import { seesAcl, type Note } from './model.ts';
import { hiddenIn, seenIn, silent, stubOf } from './references.ts';
import { timeOf } from './wire.ts';
import type { Values, World, WorldCaller, WorldEntry } from './world.ts';

/** Members of an entry, by REST's names. */
export type Row = Record<string, unknown>;

/** What a caller who may fetch an entry reads of it. @param embeds whether what it refers to is included */
export function rowOf(world: World, caller: WorldCaller, entry: WorldEntry, embeds: boolean, note: Note = silent): Row {
  const { id, channel, state, values } = entry;
  // A declared field is there even if it has no value.
  const empty = channel.leads === null ? undefined : null;
  const { title, word, n } = values;
  const isPrivileged = seesAcl(state, world.asker(caller));
  return {
    ...{ id, title: title ?? empty, word: word ?? empty, n: n ?? empty },
    title_field_value: title,
    _status: state.status,
    _publish_at: timeOf(state.publishAt),
    _acl: isPrivileged ? state.acl : undefined,
    _owner: isPrivileged ? state.owner : null,
    ...linksOf(world, caller, values, embeds, note),
  };
}

/** What a caller reads of the references among some values. */
function linksOf(world: World, caller: WorldCaller, values: Values, embeds: boolean, note: Note): Row {
  const shown = (target: WorldEntry): Row => {
    if (!embeds) return stubOf(target);
    note(`embedded with ${seesAcl(target.state, world.asker(caller)) ? '_acl and _owner' : 'neither'}`);
    return rowOf(world, caller, target, false);
  };
  const [seenFriend, seen] = [seenIn(world, caller, values, 'friend'), seenIn(world, caller, values, 'friends')];
  if (seenFriend.length + seen.length > 0) note('reads a stub');
  if (values.friend && seenFriend.length === 0) {
    const isThere = world.entries.includes(values.friend);
    note(isThere ? 'reads null for a hidden target' : 'reads null for a target that is gone');
    if (isThere && embeds) note('embedded nothing for a hidden target');
  }
  if (hiddenIn(world, caller, values, 'friends').length > 0) note('reads a list without hidden targets');
  return { friend: seenFriend.map(shown)[0] ?? null, friends: seen.map(shown) };
}

/** The same members of an answer. */
export function membersOf(answer: Row): Row {
  const linked = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && '_status' in value ? membersOf(value) : value;
  const { friend, friends } = answer;
  return {
    ...{ id: answer['id'], title: answer['title'], word: answer['word'], n: answer['n'] },
    title_field_value: answer['title_field_value'] ?? undefined,
    _status: answer['_status'],
    _publish_at: answer['_publish_at'],
    _acl: answer['_acl'],
    _owner: answer['_owner'] ?? null,
    friend: linked(friend) ?? null,
    friends: Array.isArray(friends) ? friends.map(linked) : [],
  };
}

/** What an answer to a write shows besides names, times and state. */
export interface Shown {
  /** Whether the entry is shown whole, its access list and owner to those who may read them. */
  readonly all: boolean;
  /** Where it is not, the members that were sent, by REST's names. */
  readonly sent: readonly string[];
}

/** Expects the answer to a write to be just what its caller may see of the entry. */
export function expectShown(
  world: World,
  caller: WorldCaller,
  answer: Row,
  entry: WorldEntry,
  { all, sent }: Shown,
): void {
  const row = rowOf(world, caller, entry, false);
  const always = ['id', '_status', '_publish_at'];
  const limited = Object.entries(row).filter(([name]) => always.includes(name) || sent.includes(name));
  const expected = all ? row : { _owner: null, friend: null, friends: [], ...Object.fromEntries(limited) };
  expect({ version: answer['version'] ?? entry.version, ...membersOf(answer) }).toEqual({
    version: entry.version,
    ...expected,
  });
}
