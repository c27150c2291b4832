// Reads the feeds of sites with webhooks, and queues the changes for each webhook (docs/contract.md §9).
import { findFollowing, queueChanges, type DueWebhook, type FollowingWebhook, type QueuedChange } from '../queue.ts';
import type { EntryClient } from '../../../entries/model.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { ChangePage, PublicChange } from '../../changes/serializer.ts';
import type { AudienceReader } from './audience.ts';

export interface FollowerParts {
  readonly db: EntryClient;
  readonly reader: AudienceReader;
  readonly watch: (site: string, onChanges: () => void) => () => void;
  /**
   * Whether this process reads the feeds of all sites that it follows, and not only when it is notified of a change.
   */
  readonly readsAll: () => boolean;
  /** Receives a webhook that has something to send. */
  readonly onQueued: (due: DueWebhook) => void;
  /** Runs work in the background. */
  readonly run: (work: () => Promise<unknown>) => unknown;
}

/** The state of following one site. */
interface FollowedSite {
  readonly stop: () => void;
  isReading: boolean;
  /** Whether there may be changes that the running read does not see. */
  isAwaited: boolean;
}

export class FeedFollower {
  readonly #parts: FollowerParts;
  readonly #sites = new Map<string, FollowedSite>();
  #isClosed = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** The sites that are followed. */
  get sites(): string[] {
    return [...this.#sites.keys()];
  }

  /** Follows a site from now on. */
  follow(site: string): void {
    if (this.#isClosed) return;
    if (!this.#sites.has(site)) {
      const stop = this.#parts.watch(site, () => this.read(site));
      this.#sites.set(site, { stop, isReading: false, isAwaited: false });
    }
    if (this.#parts.readsAll()) this.read(site);
  }

  /** Follows these sites and no others. */
  followOnly(sites: readonly string[]): void {
    const wanted = new Set(sites);
    for (const [site, { stop, isReading }] of this.#sites) {
      if (wanted.has(site) || isReading) continue;
      stop();
      this.#sites.delete(site);
    }
    for (const site of wanted) this.follow(site);
  }

  /** Reads the new changes in a site's feed. */
  read(site: string): void {
    const following = this.#sites.get(site);
    if (following === undefined) return;
    following.isAwaited = true;
    if (!following.isReading) this.#parts.run(() => this.#readAll(site, following));
  }

  /** Stops following all sites. */
  close(): void {
    this.#isClosed = true;
    for (const { stop } of this.#sites.values()) stop();
    this.#sites.clear();
  }

  async #readAll(site: string, following: FollowedSite): Promise<void> {
    following.isReading = true;
    try {
      while (following.isAwaited && !this.#isClosed) {
        following.isAwaited = false;
        const webhooks = await findFollowing(this.#parts.db, site);
        // Webhooks at the same position are served by one read.
        for (const group of groupEqual(webhooks)) {
          if (await this.#readFor(site, group)) following.isAwaited = true;
        }
      }
    } finally {
      following.isReading = false;
    }
  }

  /** Queues a page of changes for webhooks at the same position. @returns whether there may be more */
  async #readFor(siteId: string, group: readonly FollowingWebhook[]): Promise<boolean> {
    const [first] = group;
    if (first === undefined) return false;
    const { audience, cursor: from } = first;
    const { changes, cursor: to, more } = await this.#listChanges(siteId, first);
    if (to === from) return false;
    const step = { siteId, audience, from, to, webhookIds: group.map(({ id }) => id) };
    const queued = await queueChanges(
      this.#parts.db,
      step,
      changes.map((change) => makeQueued(change, group)),
    );
    for (const webhookId of queued) this.#parts.onQueued({ siteId, webhookId });
    return more;
  }

  /** A webhook that lags behind all kept changes continues with those to come. */
  async #listChanges(site: string, { audience, cursor }: FollowingWebhook): Promise<ChangePage> {
    try {
      return await this.#parts.reader.listChanges(site, audience, cursor);
    } catch (error) {
      const isLost = error instanceof ServiceError && (error.code === 'cursor_expired' || error.code === 'bad_request');
      if (!isLost) throw error;
      return this.#parts.reader.listChanges(site, audience, 'now');
    }
  }
}

/** Groups webhooks with the same audience and position. */
function groupEqual(webhooks: readonly FollowingWebhook[]): FollowingWebhook[][] {
  const groups = new Map<string, FollowingWebhook[]>();
  for (const webhook of webhooks) {
    const key = `${webhook.audience} ${webhook.cursor}`;
    const group = groups.get(key);
    if (group) group.push(webhook);
    else groups.set(key, [webhook]);
  }
  return [...groups.values()];
}

/** A change, with those of some webhooks that get it. */
function makeQueued(change: PublicChange, group: readonly FollowingWebhook[]): QueuedChange {
  const { type, at, channel, id, version, cursor, actor } = change;
  const webhooks = group.filter(({ types, channels }) => {
    return (types.length === 0 || types.includes(type)) && (channels.length === 0 || channels.includes(channel));
  });
  const webhookIds = webhooks.map((webhook) => webhook.id);
  const queued = { webhooks: webhookIds, subject: id ?? channel, type, at, channel, id, version, cursor };
  return actor === undefined ? queued : { ...queued, actor };
}
