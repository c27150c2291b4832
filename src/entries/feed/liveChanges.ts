// The work of a process for the feed of changes (docs/changes.md): it assigns positions to the changes that it has
// written, records publications when they are due, and wakes the requests that wait for a site's next change. Work on
// all sites is the leader's.
import { mayRetryTransaction } from '../../database/databaseErrors.ts';
import { followerPolls, Poller } from '../../base/poller.ts';
import { maxSitesAtOnce, unassignedSites } from '../../database/siteBatches.ts';
import type { EntryClient } from '../model.ts';
import { PositionNotices } from './positionNotices.ts';
import type { FeedState } from './readChanges.ts';
import { findSightChanges, recordSightChanges, type ChannelName, type SightProgress } from './sightChanges.ts';

/**
 * The delay between a write and the assignment of its position, so that the writes of this time get theirs by one
 * statement. In milliseconds, as below.
 */
const assignDelay = 25;
/**
 * The interval of polls for due publications; and the numbers of polls after each of which there is one for the rest.
 */
const pollInterval = 1_500;
const watchedEveryPolls = 2;
const recoverEveryPolls = 40;
/** The time after a write during which its site counts as just written to by this process. */
const wroteMilliseconds = 5_000;
const maxAnnounced = 500;
const maxSightChanges = 50;

/** The watchers of a site, which wait for its next change. */
interface Waiting {
  /** The last position of the feed at the latest poll; null before the first one. */
  last: number | null;
  readonly watchers: Set<() => void>;
}

export class LiveChanges {
  readonly #db: EntryClient;
  readonly #at: (site: string) => EntryClient;
  readonly #onError: (error: unknown) => void;
  readonly #isLeader: () => boolean;
  /** The time of this process's last write to each site, the oldest first. */
  readonly #written = new Map<string, number>();
  readonly #assigning = new Map<string, NodeJS.Timeout>();
  readonly #underway = new Set<Promise<unknown>>();
  readonly #waiting = new Map<string, Waiting>();
  /**
   * The watchers that queue a site's changes. There may be many such sites, and this process does not poll their feeds:
   * the sender's own poll makes up for a lost notification (sender.ts).
   */
  readonly #queueing = new Map<string, Set<() => void>>();
  readonly #notices: PositionNotices;
  /** The changed scopes for whose entries changes are being recorded. */
  readonly #recording = new Set<string>();
  readonly #poller: Poller;
  #polls = 0;
  #isClosed = false;

  /**
   * Starts to poll.
   * @param at returns the client for statements about one site
   * @param onError receives each error; the next poll tries again
   * @param isLeader whether this process is the leader, which polls for all sites
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
    this.#notices = new PositionNotices(db, onError);
    // Polls are spread over time, so that many processes do not poll at once.
    this.#poller = new Poller({
      every: pollInterval,
      jitter: 0.5,
      poll: () => this.poll(),
      onError: (error) => this.#report(error),
    });
  }

  /** Notes that this process has written to a site, or may have. */
  written(site: string): void {
    this.#noteWritten(site);
    if (this.#isClosed || this.#assigning.has(site)) return;
    const timer = setTimeout(() => {
      this.#assigning.delete(site);
      this.#run(() => this.#assign(site));
    }, assignDelay);
    this.#assigning.set(site, timer.unref());
  }

  /**
   * Assigns positions to the new changes of a site, and notifies all processes if there were any.
   * @param db runs the statement
   */
  async assignAndNotify(site: string, db: EntryClient): Promise<FeedState> {
    const state = await db.entry.assignPositions(site);
    if (state.placed > 0) this.#notices.placed(site);
    return state;
  }

  /** Receives a notification of the database. One about new positions wakes the watchers of its site. */
  receive([subject, site = '']: readonly string[]): void {
    if (subject === 'changes') this.#wake(site);
  }

  /** Wakes all watchers, as notifications may have been lost. */
  wakeAll(): void {
    for (const site of new Set([...this.#waiting.keys(), ...this.#queueing.keys()])) this.#wake(site);
  }

  /**
   * Calls a function each time that a site may have new changes. Some calls come without one; none is missing.
   * @returns a function that ends the calls
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
   * Does the same as `watch` for code that queues changes on behalf of all processes: the leader is called for all
   * sites, another process for the sites to which it has just written. Otherwise every process would read changes that
   * one of them queues.
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
   * Records in the background, for the remaining entries of a channel with a changed scope, that their visibility
   * changed.
   * @param progress the last entry for which that is done
   */
  recordSights(channel: ChannelName, progress: SightProgress): void {
    this.#run(() => this.#recordSights(channel, progress));
  }

  /** Polls once: records due publications, and in some polls recovers changes that other processes left behind. */
  async poll(): Promise<void> {
    const polls = (this.#polls += 1);
    this.#forgetWritten();
    const pollRatio = this.#isLeader() ? 1 : followerPolls;
    if (polls % pollRatio === 0) await this.#announceDue();
    if (polls % watchedEveryPolls === 0) await this.#pollWatched();
    if (polls % (recoverEveryPolls * pollRatio) === 0) await this.#recoverUnfinished();
  }

  async #announceDue(): Promise<void> {
    for (let [isAll, busy]: [boolean, readonly string[]] = [false, []]; !isAll && !this.#isClosed;) {
      const announced = await this.#db.entry.announceDue(new Date(), maxAnnounced, busy);
      for (const site of announced.sites) {
        // So that this process queues these changes for webhooks: a leader that is stuck does not.
        this.#noteWritten(site);
        await this.#tryToAssign(site);
      }
      ({ isAll, busy } = announced);
    }
  }

  /** Stops. Resolves when the running work is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const polled = this.#poller.close();
    for (const [site, timer] of this.#assigning) {
      clearTimeout(timer);
      this.#run(() => this.#assign(site));
    }
    this.#assigning.clear();
    await Promise.all([polled, ...this.#underway]);
    await this.#notices.close();
    this.wakeAll();
  }

  /**
   * Polls the feeds of sites that have watchers: a process may have ended before it assigned positions or notified the
   * others, and a notification does not outlive a crash of the database.
   */
  async #pollWatched(): Promise<void> {
    const sites = [...this.#waiting.keys()];
    for (let at = 0; at < sites.length; at += maxSitesAtOnce) {
      for (const { site, last, isUnassigned } of await this.#db.entry.readFeeds(sites.slice(at, at + maxSitesAtOnce))) {
        const waiting = this.#waiting.get(site);
        if (waiting !== undefined && waiting.last !== last) {
          waiting.last = last;
          this.#wake(site);
        }
        if (isUnassigned) await this.#tryToAssign(site);
      }
    }
  }

  /**
   * Assigns positions in one site of several. An error, such as that of a blocked feed, is reported, and the others go
   * on.
   */
  async #tryToAssign(site: string): Promise<void> {
    await this.#assign(site).catch((error: unknown) => this.#report(error));
  }

  #assign(site: string): Promise<FeedState> {
    return this.assignAndNotify(site, this.#at(site));
  }

  /** Assigns positions and resumes the recording of changed scopes that ended processes left behind. */
  async #recoverUnfinished(): Promise<void> {
    for await (const sites of unassignedSites(this.#db)) for (const site of sites) await this.#tryToAssign(site);
    for (const channel of await findSightChanges(this.#db, maxSightChanges)) {
      await this.#recordSights(channel, { version: channel.version, after: null });
    }
  }

  /** Records the changes of visibility by one changed scope, unless this process does already. Another one may, too. */
  async #recordSights(channel: ChannelName, from: SightProgress): Promise<void> {
    const key = `${channel.siteId} ${channel.uid} ${from.version}`;
    if (this.#recording.has(key)) return;
    this.#recording.add(key);
    try {
      let progress: SightProgress | null = from;
      const db = this.#at(channel.siteId);
      do progress = await recordSightChanges(db, channel, new Date(), progress);
      while (progress !== null && !this.#isClosed);
      await this.#assign(channel.siteId);
    } finally {
      this.#recording.delete(key);
    }
  }

  /** Whether this process has just written to a site. */
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

  /** Reports an error, unless it is a collision with a write, which is over by the next poll. */
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
