// What a process does for the feed of changes (docs/changes.md): it gives places to the changes that it has written, records the
// publications whose time has come, and wakes those who wait for a site's next change. The leader does what concerns all sites.
import { mayRetryTransaction } from '../../database/databaseErrors.ts';
import { followerPolls, Poller } from '../../base/poller.ts';
import { maxSitesAtOnce, unplacedSites } from '../../database/siteBatches.ts';
import type { EntryClient } from '../model.ts';
import { PlaceNotices } from './placeNotices.ts';
import type { FeedState } from './readChanges.ts';
import { findSightChanges, recordSightChanges, type ChannelName, type SightProgress } from './sightChanges.ts';

/** How long after a write its change gets a place, so that writes of this time get theirs together. In milliseconds, as below. */
const placingDelay = 25;
/** How often a process looks for publications whose time has come; and after how many looks it looks for the rest. */
const lookInterval = 1_500;
const looksBetweenWaiting = 2;
const looksBetweenLeft = 40;
/** For how long a site counts as one to which this process has just written. */
const wroteMilliseconds = 5_000;
const maxAnnounced = 500;
const maxSightChanges = 50;

/** Who waits for a site's next change. */
interface Waiting {
  /** How far the feed had come at the last look at it; null: before the first one. */
  last: number | null;
  readonly watchers: Set<() => void>;
}

export class LiveChanges {
  readonly #db: EntryClient;
  readonly #at: (site: string) => EntryClient;
  readonly #onError: (error: unknown) => void;
  readonly #isLeader: () => boolean;
  /** When this process last wrote to a site, in the order of these times. */
  readonly #written = new Map<string, number>();
  readonly #placing = new Map<string, NodeJS.Timeout>();
  readonly #underway = new Set<Promise<unknown>>();
  readonly #waiting = new Map<string, Waiting>();
  /** Who queues a site's changes. There may be many such sites, and their own look makes up for a notice that is lost (sender.ts). */
  readonly #queueing = new Map<string, Set<() => void>>();
  readonly #notices: PlaceNotices;
  /** The changed scopes whose entries are being recorded. */
  readonly #recording = new Set<string>();
  readonly #poller: Poller;
  #looks = 0;
  #isClosed = false;

  /**
   * Starts to look.
   * @param at the client for statements about one site
   * @param onError receives each error; the next look tries again
   * @param isLeader whether this process looks at all sites
   */
  constructor(
    db: EntryClient,
    at: (site: string) => EntryClient,
    { onError, isLeader }: { readonly onError: (error: unknown) => void; readonly isLeader: () => boolean },
  ) {
    this.#db = db;
    this.#at = at;
    this.#isLeader = isLeader;
    this.#onError = onError;
    this.#notices = new PlaceNotices(db, onError);
    // Looks are spread over time, so that many processes do not all look at once.
    this.#poller = new Poller({
      every: lookInterval,
      jitter: 0.5,
      poll: () => this.look(),
      onError: (error) => this.#report(error),
    });
  }

  /** Notes that this process has written to a site, or may have. */
  written(site: string): void {
    this.#noteWritten(site);
    if (this.#isClosed || this.#placing.has(site)) return;
    const timer = setTimeout(() => {
      this.#placing.delete(site);
      this.#run(() => this.#place(site));
    }, placingDelay);
    this.#placing.set(site, timer.unref());
  }

  /**
   * Gives places to the new changes of a site, and tells all processes if there were any.
   * @param db gives them
   */
  async placeBy(site: string, db: EntryClient): Promise<FeedState> {
    const state = await db.entry.placeChanges(site);
    if (state.placed > 0) this.#notices.placed(site);
    return state;
  }

  /** Receives a notification of the database: one about new places wakes those who wait for the site's changes. */
  receive([subject, site = '']: readonly string[]): void {
    if (subject === 'changes') this.#wake(site);
  }

  /** Wakes everybody who waits: notifications may have been missed. */
  wakeAll(): void {
    for (const site of new Set([...this.#waiting.keys(), ...this.#queueing.keys()])) this.#wake(site);
  }

  /**
   * Calls a function each time that a site may have new changes: rather too often than too rarely.
   * @returns a function that ends this
   */
  watch(site: string, onChanges: () => void): () => void {
    const here = this.#waiting.get(site) ?? { last: null, watchers: new Set() };
    this.#waiting.set(site, here);
    here.watchers.add(onChanges);
    return () => {
      here.watchers.delete(onChanges);
      if (here.watchers.size === 0 && this.#waiting.get(site) === here) this.#waiting.delete(site);
    };
  }

  /**
   * The same for code that queues changes on behalf of all processes: the leader is called for all sites, and the others for those to
   * which they have just written. Otherwise every process would read what one of them queues.
   */
  watchToQueue(site: string, onChanges: () => void): () => void {
    const here = this.#queueing.get(site) ?? new Set();
    this.#queueing.set(site, here.add(onChanges));
    return () => {
      here.delete(onChanges);
      if (here.size === 0 && this.#queueing.get(site) === here) this.#queueing.delete(site);
    };
  }

  /**
   * Records in the background, for the rest of a channel's entries, that its changed scope shows them to others than before.
   * @param progress up to which entry that is done
   */
  recordSights(channel: ChannelName, progress: SightProgress): void {
    this.#run(() => this.#recordSights(channel, progress));
  }

  /** Records and places what is due now. */
  async look(): Promise<void> {
    const looks = (this.#looks += 1);
    this.#forgetWritten();
    const looksAtAll = this.#isLeader() ? 1 : followerPolls;
    if (looks % looksAtAll === 0) await this.#announceDue();
    if (looks % looksBetweenWaiting === 0) await this.#lookForWaiting();
    if (looks % (looksBetweenLeft * looksAtAll) === 0) await this.#finishLeft();
  }

  async #announceDue(): Promise<void> {
    for (let [isAll, busy]: [boolean, readonly string[]] = [false, []]; !isAll && !this.#isClosed;) {
      const announced = await this.#db.entry.announceDue(new Date(), maxAnnounced, busy);
      for (const site of announced.sites) {
        // Where the leader is stuck, it does not queue these changes for webhooks.
        this.#noteWritten(site);
        await this.#tryToPlace(site);
      }
      ({ isAll, busy } = announced);
    }
  }

  /** Stops. Resolves when what is under way is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const polled = this.#poller.close();
    for (const [site, timer] of this.#placing) {
      clearTimeout(timer);
      this.#run(() => this.#place(site));
    }
    this.#placing.clear();
    await Promise.all([polled, ...this.#underway]);
    await this.#notices.close();
    this.wakeAll();
  }

  /**
   * Looks at the feeds of sites for whose changes somebody waits: processes may have ended before they gave places, or told of them,
   * and a notification does not outlive a crash of the database.
   */
  async #lookForWaiting(): Promise<void> {
    const sites = [...this.#waiting.keys()];
    for (let at = 0; at < sites.length; at += maxSitesAtOnce) {
      for (const { site, last, isUnplaced } of await this.#db.entry.readFeeds(sites.slice(at, at + maxSitesAtOnce))) {
        const waiting = this.#waiting.get(site);
        if (waiting !== undefined && waiting.last !== last) {
          waiting.last = last;
          this.#wake(site);
        }
        if (isUnplaced) await this.#tryToPlace(site);
      }
    }
  }

  /** Gives places in one site of several. An error, as of a feed that stands, is told, and the next site has its turn. */
  async #tryToPlace(site: string): Promise<void> {
    await this.#place(site).catch((error: unknown) => this.#report(error));
  }

  #place(site: string): Promise<FeedState> {
    return this.placeBy(site, this.#at(site));
  }

  /** Gives places on behalf of processes that ended before they did, and records the rest of changed scopes. */
  async #finishLeft(): Promise<void> {
    for await (const sites of unplacedSites(this.#db)) for (const site of sites) await this.#tryToPlace(site);
    for (const channel of await findSightChanges(this.#db, maxSightChanges)) {
      await this.#recordSights(channel, { version: channel.version, after: null });
    }
  }

  /** Does nothing for a change that is being recorded here already; another process may still record it, too. */
  async #recordSights(channel: ChannelName, from: SightProgress): Promise<void> {
    const key = `${channel.siteId} ${channel.uid} ${from.version}`;
    if (this.#recording.has(key)) return;
    this.#recording.add(key);
    try {
      let progress: SightProgress | null = from;
      const db = this.#at(channel.siteId);
      do progress = await recordSightChanges(db, channel, new Date(), progress);
      while (progress !== null && !this.#isClosed);
      await this.#place(channel.siteId);
    } finally {
      this.#recording.delete(key);
    }
  }

  /** Whether this process wrote to a site within the last seconds. */
  #hasWritten(site: string): boolean {
    return performance.now() - (this.#written.get(site) ?? -Infinity) < wroteMilliseconds;
  }

  #noteWritten(site: string): void {
    this.#written.delete(site);
    this.#written.set(site, performance.now());
  }

  #forgetWritten(): void {
    for (const site of this.#written.keys()) {
      if (this.#hasWritten(site)) return;
      this.#written.delete(site);
    }
  }

  #run(work: () => Promise<unknown>): void {
    const running = work()
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#underway.delete(running));
    this.#underway.add(running);
  }

  /** Reports an error, unless it is a collision with a write, which is over by the next look. */
  #report(error: unknown): void {
    if (!mayRetryTransaction(error)) this.#onError(error);
  }

  #wake(site: string): void {
    for (const onChanges of [...(this.#waiting.get(site)?.watchers ?? [])]) onChanges();
    const queueing = this.#queueing.get(site);
    if (queueing === undefined || !(this.#isLeader() || this.#hasWritten(site))) return;
    for (const onChanges of [...queueing]) onChanges();
  }
}
