// Readers of the feed of changes (docs/contract.md §9) among a world's callers: each goes on from its last cursor after each
// step, and holds what a list gives it, whatever happened; and it hears of nothing that it could never see.
import { expect } from '@jest/globals';
import { maySee, type Channel, type Entry } from './model.ts';
import { silent } from './references.ts';
import { isMember, type World, type WorldCaller, type WorldChannel, type WorldEntry, type WorldSite } from './world.ts';

interface Change {
  readonly type: string;
  readonly id: string | null;
  readonly channel: string;
}

interface Page {
  readonly changes: readonly Change[];
  readonly cursor: string;
  readonly more: boolean;
}

/** How an entry stood once. */
interface Stood {
  readonly entry: WorldEntry;
  readonly state: Entry;
  readonly rules: Channel;
}

/** A channel that was deleted: its entries as they stood, and who of a world's callers saw one then. */
interface Deletion {
  readonly site: WorldSite;
  readonly channel: string;
  readonly stood: readonly Stood[];
  readonly saw: ReadonlySet<WorldCaller>;
}

/** The readers of a world, and what there was for them to see. */
export class Feeds {
  readonly #stood: Stood[] = [];
  readonly #deletions: Deletion[] = [];
  readonly #readers = new Map<WorldCaller, FeedFollower>();

  /** Notes how an entry stands, after a write. */
  note(entry: WorldEntry): void {
    this.#stood.push({ entry, state: entry.state, rules: entry.channel.rules });
  }

  /** Notes how the entries of a channel stand, after a change of it. */
  noteChannel(world: World, site: WorldSite, channel: WorldChannel): void {
    for (const entry of world.entriesOf(site, channel)) this.note(entry);
  }

  /** Notes how the entries of a channel stand that is about to be deleted. */
  noteDeletion(world: World, site: WorldSite, channel: WorldChannel): void {
    const entries = world.entriesOf(site, channel);
    const stood = entries.map((entry) => ({ entry, state: entry.state, rules: channel.rules }));
    const saw = world.callers.filter(
      (caller) => caller.site === site && stood.some((each) => sees(world, caller, each)),
    );
    this.#deletions.push({ site, channel: channel.id, stood, saw: new Set(saw) });
  }

  /** A customer has other roles: what it could see is decided with the new ones, and its readers start over. */
  startOver(customer: WorldCaller['customer']): void {
    for (const caller of this.#readers.keys()) if (caller.customer === customer) this.#readers.delete(caller);
  }

  /** A site's member has other roles: as with a customer's. */
  startOverMember(site: WorldSite): void {
    for (const caller of this.#readers.keys()) {
      if (caller.site === site && isMember(caller)) this.#readers.delete(caller);
    }
  }

  /** Whether a caller could see an entry at any time, by what it is now. */
  couldSee(world: World, caller: WorldCaller, id: string): boolean {
    return this.#stood.some((each) => each.entry.id === id && (isToldAll(caller) || sees(world, caller, each)));
  }

  /** How often a caller may be told that a channel with an id is removed: it saw an entry when that was deleted, or would have as it is now. */
  maxRemovals(world: World, caller: WorldCaller, id: string): number {
    if (caller.kind !== 'public') return 0;
    return this.#deletions.filter(({ site, channel, stood, saw }) => {
      return (
        site === caller.site && channel === id && (saw.has(caller) || stood.some((each) => sees(world, caller, each)))
      );
    }).length;
  }

  /** Lets readers go on, and holds them against the model. @param turn whose turn it is; null: all, and from the start too */
  async check(world: World, turn: number | null): Promise<void> {
    const { callers } = world;
    const chosen = turn === null ? callers : callers.filter((_caller, index) => index === turn % callers.length);
    for (const caller of chosen) {
      const reader = this.#readers.get(caller) ?? new FeedFollower();
      this.#readers.set(caller, reader);
      await reader.expectHeld(world, caller);
      if (turn === null) await new FeedFollower().expectHeld(world, caller);
    }
  }
}

/** Whether a caller is told of everything: access control never narrows what a master is told. */
function isToldAll({ kind }: WorldCaller): boolean {
  return kind === 'master';
}

/** Whether a caller, as it is now, sees an entry as it stood. */
function sees(world: World, caller: WorldCaller, { state, rules }: Pick<Stood, 'state' | 'rules'>): boolean {
  return maySee(rules, state, world.asker(caller), Date.now(), silent);
}

class FeedFollower {
  /** The channels of the entries that it holds, by id. */
  readonly #held = new Map<string, string>();
  readonly #removals = new Map<string, number>();
  #cursor: string | null = null;
  #pages = 0;

  async expectHeld(world: World, caller: WorldCaller): Promise<void> {
    const told: Change[] = [];
    for (let more = true; more;) {
      this.#pages += 1;
      const after = this.#cursor === null ? '' : `&after=${this.#cursor}`;
      const answer = await world.rest(caller, 'GET', `/changes?limit=${1 + (this.#pages % 7)}${after}`);
      expect([answer.status, answer.status === 200 ? null : answer.body]).toEqual([200, null]);
      const page = answer.body as Page;
      told.push(...page.changes);
      this.#cursor = page.cursor;
      ({ more } = page);
    }
    for (const change of told) this.#take(change);
    const ids = told.flatMap(({ id }) => id ?? []);
    expect({ of: caller.name, secret: ids.filter((id) => !world.feeds.couldSee(world, caller, id)), told }).toEqual({
      ...{ of: caller.name, secret: [], told },
    });
    for (const [channel, count] of this.#removals) {
      expect([told, count <= world.feeds.maxRemovals(world, caller, channel)]).toEqual([told, true]);
    }
    const listed = world.entriesOf(caller.site).filter(({ state, channel }) => {
      return isToldAll(caller) || sees(world, caller, { state, rules: channel.rules });
    });
    expect({ of: caller.name, held: [...this.#held.keys()].sort(), told }).toEqual({
      ...{ of: caller.name, held: listed.map(({ id }) => id).sort(), told },
    });
  }

  #take({ type, id, channel }: Change): void {
    if (type === 'channel.removed') this.#removals.set(channel, (this.#removals.get(channel) ?? 0) + 1);
    if (type === 'channel.removed' || type === 'channel.deleted') {
      for (const [held, of] of [...this.#held]) if (of === channel) this.#held.delete(held);
    }
    if (id === null) return;
    if (type === 'entry.removed' || type === 'entry.deleted') this.#held.delete(id);
    else this.#held.set(id, channel);
  }
}
