// The nodes of a database whose tables are distributed by site (docs/scaling.md). A statement on one site goes directly
// to the node with its rows, so that no other node takes part and the commit needs no second phase. The cached node of
// a site may be stale for a moment, which makes statements slower and never wrong: any node finds the rows of any site.
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { ChangeFeed, ChangeListener, LossListener } from '../changeFeed.ts';
import { CitusFeed } from './feed.ts';
import { coordinatorGroup, findGroup, nodeUrl, type CitusNode, type CitusTopology } from './topology.ts';
import { ProbePace, probeInterval } from '../../base/probePace.ts';
import { Poller } from '../../base/poller.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { PostgresqlFeed, type FeedOptions } from '../postgresql/feed.ts';
import { closeConnections, type ServerConnections } from '../postgresql/serverConnections.ts';
import { TopologyReader } from './topologyReader.ts';

/** The number of sites whose nodes are cached. */
const maxKnownSites = 50_000;

interface NodesOptions {
  /** The URL of the coordinator. The nodes have the same database, role and parameters. */
  readonly url: string;
  /** The schema with the tables. */
  readonly schema: string;
  readonly topology: CitusTopology;
  /** The connections to the coordinator. */
  readonly home: ServerConnections;
  /** Opens connections to another node. */
  readonly open: (url: string) => ServerConnections;
}

export class CitusNodes {
  readonly #options: NodesOptions;
  readonly #others = new Map<string, ServerConnections>();
  readonly #groups = new LRUCache<string, Promise<number>>({ max: maxKnownSites });
  readonly #lookUps = new SingleFlight<number>({ kept: this.#groups });
  readonly #feeds = new Set<CitusFeed>();
  readonly #reader: TopologyReader;
  readonly #poller: Poller;
  #topology: CitusTopology;
  #lookedAt = performance.now();
  /** The pace at which the list of nodes is read: that of heartbeats. */
  readonly #pace = new ProbePace();
  #isLooking = false;

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#topology = options.topology;
    this.#reader = new TopologyReader(options.home.Client);
    const poll = async (): Promise<void> => {
      if (this.#pace.isDue(this.#lookedAt)) await this.#look();
    };
    this.#poller = new Poller({ every: probeInterval, poll, onError: () => undefined });
  }

  /** Finds the connections to the node of a site; those to the coordinator if the node cannot be found out. */
  async find(site: string): Promise<ServerConnections> {
    return this.#connect(await this.#findNode(site));
  }

  /** Finds the host and port of the node of a site; null if it is the coordinator, or cannot be found out. */
  async nameOf(site: string): Promise<string | null> {
    const node = await this.#findNode(site);
    return node === undefined || node.group === coordinatorGroup ? null : `${node.host}:${node.port}`;
  }

  /**
   * Follows the changes on all nodes. A node that cannot be reached is followed once it can; until then no cache is
   * used.
   */
  async watch(onChange: ChangeListener, onLost: LossListener): Promise<ChangeFeed> {
    const optionsOf = (node: CitusNode): FeedOptions => {
      const { Client, pool } = this.#connect(node);
      return { Client, pool, onChange, onLost };
    };
    const opened = this.#topology.nodes.map(async (node) => {
      const options = optionsOf(node);
      const feed = await PostgresqlFeed.open(options).catch(() => PostgresqlFeed.openLater(options));
      return { node, feed };
    });
    const open = (node: CitusNode): ChangeFeed => PostgresqlFeed.openLater(optionsOf(node));
    const list = { age: () => performance.now() - this.#lookedAt, expectUse: () => this.#expectUse() };
    const feed = new CitusFeed(await Promise.all(opened), open, onLost, list);
    this.#feeds.add(feed);
    feed.follow(this.#topology.nodes);
    return feed;
  }

  /** The pools of all nodes except the coordinator. */
  listPools(): pg.Pool[] {
    return [...this.#others.values()].map(({ pool }) => pool);
  }

  async close(): Promise<void> {
    const polled = this.#poller.close();
    this.#reader.close();
    await polled;
    await Promise.all([...this.#feeds].map((feed) => feed.close()));
    await Promise.all([...this.#others.values()].map(closeConnections));
  }

  /** Finds the node of a site; the coordinator, or undefined, if it cannot be found out. */
  async #findNode(site: string): Promise<CitusNode | undefined> {
    const { home, schema } = this.#options;
    const found = this.#lookUps.run(site, () => findGroup(home.pool, schema, site));
    const group = await found.catch(() => coordinatorGroup);
    return this.#topology.nodes.find((node) => node.group === group);
  }

  /** The connections to a node. The coordinator's address is fixed: when it changes, processes have to be restarted. */
  #connect(node: CitusNode | undefined): ServerConnections {
    const { url, home, open } = this.#options;
    if (node === undefined || node.group === coordinatorGroup) return home;
    const address = nodeUrl(url, node);
    const connections = this.#others.get(address) ?? open(address);
    this.#others.set(address, connections);
    return connections;
  }

  #expectUse(): void {
    if (this.#pace.expectUse()) void this.#look();
  }

  /** Reads the list of nodes. If the coordinator does not answer, the list stays, and the feeds cease to be current. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const askedAt = performance.now();
    try {
      const topology = await this.#reader.read();
      const isNew = topology.version !== this.#topology.version;
      this.#topology = topology;
      if (isNew) this.#takeOver();
      this.#lookedAt = askedAt;
    } catch {
      // The next poll tries again.
    } finally {
      this.#isLooking = false;
    }
  }

  #takeOver(): void {
    this.#groups.clear();
    const used = new Set(this.#topology.nodes.map((node) => nodeUrl(this.#options.url, node)));
    for (const [address, connections] of this.#others) {
      if (used.has(address)) continue;
      this.#others.delete(address);
      void closeConnections(connections);
    }
    for (const feed of this.#feeds) feed.follow(this.#topology.nodes);
  }
}
