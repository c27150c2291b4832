// The change feed of a database whose tables are distributed: a notification is heard on the node alone where its trigger ran, so
// that there is a feed for each node.
import type { ChangeFeed, LossListener } from './changeFeed.ts';
import { coordinatorGroup } from './citusTopology.ts';

/** Opens the feed of one node; it need not be there yet. */
type OpenFeed = (group: number) => ChangeFeed;

export class CitusFeed implements ChangeFeed {
  readonly #feeds: Map<number, ChangeFeed>;
  readonly #open: OpenFeed;
  readonly #onLost: LossListener;
  readonly #readAge: () => number;
  #isClosed = false;

  /**
   * @param feeds those of the nodes that are known, by their groups
   * @param open opens the feed of another node
   * @param onLost as of any feed
   * @param readAge how long ago it was asked which nodes there are, in milliseconds: what happens on a node that is not known
   *   yet is not heard
   */
  constructor(feeds: Map<number, ChangeFeed>, open: OpenFeed, onLost: LossListener, readAge: () => number) {
    this.#feeds = feeds;
    this.#open = open;
    this.#onLost = onLost;
    this.#readAge = readAge;
  }

  /** Says which nodes there are from now on. */
  follow(groups: readonly number[]): void {
    if (this.#isClosed) return;
    for (const [group, feed] of this.#feeds) {
      if (groups.includes(group)) continue;
      this.#feeds.delete(group);
      void feed.close();
    }
    const added = groups.filter((group) => !this.#feeds.has(group));
    for (const group of added) this.#feeds.set(group, this.#open(group));
    if (added.length > 0) this.#onLost(new Error('there is another node'));
  }

  isCurrent(): boolean {
    return this.#readAge() < maxTopologyAge && this.#each((feed) => feed.isCurrent()).every(Boolean);
  }

  proofAge(): number {
    return Math.max(this.#readAge(), ...this.#each((feed) => feed.proofAge()));
  }

  isLeader(): boolean {
    return this.#feeds.get(coordinatorGroup)?.isLeader() ?? false;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#each((feed) => feed.settle()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#each((feed) => feed.close()));
  }

  #each<Result>(ask: (feed: ChangeFeed) => Result): Result[] {
    return [...this.#feeds.values()].map(ask);
  }
}

/** As that of heartbeats (postgresqlFeed.ts): less than the second within which changes have to take effect. */
const maxTopologyAge = 900;
