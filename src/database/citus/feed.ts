// The change feed of a distributed database. A notification is delivered only on the node whose trigger sent it, so
// there is a feed for each node.
import type { ChangeFeed, LossListener } from '../changeFeed.ts';
import { coordinatorGroup, isSameNode, type CitusNode } from './topology.ts';

/** Opens the feed of one node, which need not be reachable yet. */
type OpenFeed = (node: CitusNode) => ChangeFeed;

/** The list of the nodes. */
interface NodeList {
  /** The age of the list, in milliseconds. */
  age(): number;
  /** Announces that currentness is being checked: the list is then read more often. */
  expectUse(): void;
}

export interface NodeFeed {
  /** The node as it was when its feed was opened: a feed keeps its first address. */
  readonly node: CitusNode;
  readonly feed: ChangeFeed;
}

export class CitusFeed implements ChangeFeed {
  #feeds: readonly NodeFeed[];
  readonly #open: OpenFeed;
  readonly #onLost: LossListener;
  readonly #list: NodeList;
  #isClosed = false;

  /**
   * @param feeds the feeds of the known nodes
   * @param open opens the feed of another node, or of one at another address
   * @param onLost receives the reason when changes may have been missed
   * @param list the nodes; changes on a node that it lacks are missed
   */
  constructor(feeds: readonly NodeFeed[], open: OpenFeed, onLost: LossListener, list: NodeList) {
    this.#feeds = feeds;
    this.#open = open;
    this.#onLost = onLost;
    this.#list = list;
  }

  /**
   * Follows the changes on these nodes from now on. A node with a new address counts as another one: its old address
   * receives nothing.
   */
  follow(nodes: readonly CitusNode[]): void {
    if (this.#isClosed) return;
    const isStill = ({ node }: NodeFeed): boolean => nodes.some((each) => isSameNode(each, node));
    for (const old of this.#feeds) if (!isStill(old)) void old.feed.close();
    const unchanged = this.#feeds.filter(isStill);
    const added = nodes.filter((node) => !unchanged.some((each) => isSameNode(each.node, node)));
    this.#feeds = [...unchanged, ...added.map((node) => ({ node, feed: this.#open(node) }))];
    if (added.length > 0) this.#onLost(new Error('there is another node, or one at another address'));
  }

  isCurrent(): boolean {
    this.#list.expectUse();
    return this.#list.age() < maxTopologyAge && this.#each((feed) => feed.isCurrent()).every(Boolean);
  }

  proofAge(): number {
    return Math.max(this.#list.age(), ...this.#each((feed) => feed.proofAge()));
  }

  isLeader(): boolean {
    return this.#feeds.find(({ node }) => node.group === coordinatorGroup)?.feed.isLeader() ?? false;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#each((feed) => feed.settle()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#each((feed) => feed.close()));
  }

  #each<Result>(read: (feed: ChangeFeed) => Result): Result[] {
    return this.#feeds.map(({ feed }) => read(feed));
  }
}

/** As for heartbeats (postgresql/feed.ts): less than the second within which changes have to take effect. */
const maxTopologyAge = 900;
