// Readers of the feed of changes (docs/contract.md §9) among a world's callers: each goes on from its last cursor after each
// step, and holds what a list gives it, whatever happened; and it hears of nothing that it could never see.
import { expect } from '@jest/globals';
import { maySee, type Channel, type Entry } from './model.ts';
import { silent } from './references.ts';
import type { World, WorldCaller, WorldChannel, WorldEntry, WorldSite } from './world.ts';

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

/** The readers of a world, and what there was for them to see. */
export class Feeds {
  readonly #stood: Stood[] = [];
  readonly #readers = new Map<WorldCaller, FeedFollower>();

  /** Notes how an entry stands, after a write. */
  note(entry: WorldEntry): void {
    this.#stood.push({ entry, state: entry.state, rules: entry.channel.rules });
  }

  /** Notes how the entries of a channel stand, after a change of it. */
  noteChannel(world: World, site: WorldSite, channel: WorldChannel): void {
    for (const entry of world.entriesOf(site, channel)) this.note(entry);
  }

  /** A customer has other roles: what it could see is decided with the new ones, and its readers start over. */
  startOver(customer: WorldCaller['customer']): void {
    for (const caller of this.#readers.keys()) if (caller.customer === customer) this.#readers.delete(caller);
  }

  /** Whether a caller could see an entry at any time, by what it is now. */
  couldSee(world: World, caller: WorldCaller, id: string): boolean {
    const asker = world.asker(caller);
    const seen = ({ state, rules }: Stood): boolean => maySee(rules, state, asker, Date.now(), silent);
    return this.#stood.some((each) => each.entry.id === id && (caller.kind !== 'public' || seen(each)));
  }

  /** Lets readers go on, and holds them against the model. @param turn whose turn it is; null: all, and from the start too */
  async check(world: World, turn: number | null): Promise<void> {
    const reading = world.callers.filter(({ useAcl, kind }) => kind === 'public' || (kind === 'master' && !useAcl));
    const chosen = turn === null ? reading : reading.filter((_caller, index) => index === turn % reading.length);
    for (const caller of chosen) {
      const reader = this.#readers.get(caller) ?? new FeedFollower();
      this.#readers.set(caller, reader);
      await reader.expectHeld(world, caller);
      if (turn === null) await new FeedFollower().expectHeld(world, caller);
    }
  }
}

class FeedFollower {
  readonly #held = new Set<string>();
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
    const asker = world.asker(caller);
    const sees = ({ channel, state }: WorldEntry): boolean => maySee(channel.rules, state, asker, Date.now(), silent);
    const listed = world.entriesOf(caller.site).filter((entry) => caller.kind !== 'public' || sees(entry));
    expect({ of: caller.name, held: [...this.#held].sort(), told }).toEqual({
      ...{ of: caller.name, held: listed.map(({ id }) => id).sort(), told },
    });
  }

  #take({ type, id }: Change): void {
    if (id === null) return;
    if (type === 'entry.removed' || type === 'entry.deleted') this.#held.delete(id);
    else this.#held.add(id);
  }
}
