// Writes as the models have them: each decides what becomes of it, changes the model's world, and tells what is answered.
import { isDeepStrictEqual } from 'node:util';
import {
  afterPublishing,
  afterWrite,
  maySee,
  mayCreate,
  rightTo,
  rightToPublish,
  setsAccess,
  takesTooMuch,
  type Note,
} from './model.ts';
import type { Shown } from './read.ts';
import { sameValues, valuesAfter, type Payload } from './references.ts';
import type { World, WorldCaller, WorldChannel, WorldEntry } from './world.ts';

/** What becomes of a write. */
export interface Decided {
  readonly outcome: 'done' | number;
  /** The entry that was written, as it was then, and what of it is answered. */
  readonly written?: { readonly entry: WorldEntry; readonly then: WorldEntry; readonly shown: Shown };
}

export function decideCreate(
  world: World,
  caller: WorldCaller,
  channel: WorldChannel,
  slug: string,
  payload: Payload,
  note: Note,
): Decided {
  const { site } = caller;
  const asker = world.asker(caller);
  if (!mayCreate(channel.rules, asker, note)) return { outcome: 403 };
  const state = afterWrite(channel.rules, null, payload, asker, note);
  const values = valuesAfter(world, caller, channel, {}, payload, note);
  if (state === 422 || values === 422) return { outcome: 422 };
  if (world.entriesOf(site, channel).some((entry) => entry.slug === slug)) return { outcome: 409 };
  const entry: WorldEntry = { id: '', slug, site, channel, state, values, version: 1 };
  world.entries = [...world.entries, entry];
  world.feeds.note(entry);
  return { outcome: 'done', written: { entry, then: { ...entry }, shown: { all: true, sent: [] } } };
}

export function decideUpdate(
  world: World,
  caller: WorldCaller,
  entry: WorldEntry,
  payload: Payload,
  note: Note,
): Decided {
  const asker = world.asker(caller);
  const { rules } = entry.channel;
  const right = rightTo('update', rules, entry.state, asker, Date.now(), note);
  if (right !== 'may') return { outcome: right };
  if (takesTooMuch(rules, entry.state, payload, asker)) {
    note('more than access refused');
    return { outcome: 403 };
  }
  const state = afterWrite(rules, entry.state, payload, asker, note);
  const values = valuesAfter(world, caller, entry.channel, entry.values, payload, note);
  if (state === 422 || values === 422) return { outcome: 422 };
  const owns = asker.customer !== null && entry.state.owner === asker.customer.id;
  const sees = maySee(rules, entry.state, asker, Date.now(), () => undefined);
  if (!sees) note(owns ? 'full answer to an owner who may not read' : 'limited answer to a writer who may not read');
  const { title, word, n, friend, friends, acl, owner, status, publishAt } = payload;
  const isMaster = asker.kind === 'master';
  const access = setsAccess(rules, asker) && { _acl: acl, _owner: owner };
  const members = { title, word, n, friend, friends, ...access };
  const sent = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  // To who may not read, a version that stays would tell that the values sent are those that there are.
  const asks = sent.length > 0 || (isMaster && (status !== undefined || publishAt !== undefined));
  const isTold = !sees && !owns && asks;
  const isChanged = isTold || !isDeepStrictEqual(state, entry.state) || !sameValues(values, entry.values);
  Object.assign(entry, { state, values, version: entry.version + (isChanged ? 1 : 0) });
  world.feeds.note(entry);
  return { outcome: 'done', written: { entry, then: { ...entry }, shown: { all: sees || owns, sent } } };
}

/** What becomes of a publication, or of its end. */
export function decidePublish(
  world: World,
  caller: WorldCaller,
  entry: WorldEntry,
  publication: Parameters<typeof afterPublishing>[1],
  note: Note,
): Decided {
  const asker = world.asker(caller);
  const { rules } = entry.channel;
  const now = Date.now();
  const right = rightToPublish(rules, entry.state, asker, now, note);
  if (right !== 'may') return { outcome: right };
  note(rules.publishable ? `${publication.to}ed by an operation` : 'not publishable, 409');
  if (!rules.publishable) return { outcome: 409 };
  const sees = maySee(rules, entry.state, asker, now, () => undefined);
  const all = sees || (asker.customer !== null && entry.state.owner === asker.customer.id);
  const state = afterPublishing(entry.state, publication, now);
  const isChanged = !all || !isDeepStrictEqual(state, entry.state);
  Object.assign(entry, { state, version: entry.version + (isChanged ? 1 : 0) });
  world.feeds.note(entry);
  return { outcome: 'done', written: { entry, then: { ...entry }, shown: { all, sent: [] } } };
}

export function decideDelete(world: World, caller: WorldCaller, entry: WorldEntry, note: Note): Decided {
  const right = rightTo('delete', entry.channel.rules, entry.state, world.asker(caller), Date.now(), note);
  if (right !== 'may') return { outcome: right };
  world.entries = world.entries.filter((each) => each !== entry);
  world.gone = [...world.gone, entry];
  return { outcome: 'done' };
}
