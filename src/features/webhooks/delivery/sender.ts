// Sends a site's changes to its webhooks (docs/contract.md §9). Each webhook has a queue in the database, which is
// filled from the site's feed. The process that takes an event from it sends it; the queue decides which events may be
// sent (src/features/webhooks/queue.ts).
import { randomUUID } from 'node:crypto';
import type { EventName, Webhooks } from '../../../resolvers/context.ts';
import { Poller } from '../../../base/poller.ts';
import { maxSitesAtOnce, webhookSites } from '../../../database/siteBatches.ts';
import { findDue, findSending, hasWebhooks, leaseEvents, type DueWebhook, type LeasedEvent } from '../queue.ts';
import type { EntryClient } from '../../../entries/model.ts';
import type { ProcessParts } from '../../feature.ts';
import { AudienceReader, type AudienceParts } from './audience.ts';
import { Delivery } from './delivery.ts';
import { FeedFollower } from './follow.ts';
import { findAddressFault } from './lookup.ts';
import { NameLookUps } from './names.ts';
import { SendingRoom } from './room.ts';
import { usualSettings, type SenderSettings } from './settings.ts';

/** The number of polls between two polls of all sites, in case a notification was missed. */
const looksBetweenAll = 60;
/** The lease on an event, in milliseconds. */
const holdMilliseconds = 30_000;

/** The state of sending to one webhook. */
interface Sending extends DueWebhook {
  underway: number;
  isTaking: boolean;
  isAwaited: boolean;
  isFailing: boolean;
  finished: number;
}

/** The number of a webhook's events after which its feed is read on, in case its queue was full. */
const eventsBetweenReads = 500;

export type SenderParts = AudienceParts & Pick<ProcessParts, 'config' | 'log' | 'own'>;

export class WebhookSender implements Webhooks {
  readonly #db: EntryClient;
  readonly #parts: SenderParts;
  readonly #settings: SenderSettings;
  readonly #delivery: Delivery;
  readonly #follower: FeedFollower;
  readonly #names: NameLookUps;
  readonly #holder = randomUUID();
  readonly #sendings = new Map<string, Sending>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();
  #poller: Poller | null = null;
  #looks = 0;
  #wasLeader = false;
  readonly #room: SendingRoom;
  readonly #onError = (error: unknown): void => this.#parts.log.warn({ err: error }, 'webhooks not served');
  /** Webhooks with due events that found no room beside others. */
  readonly #crowded = new Set<Sending>();
  #isClosed = false;

  constructor(parts: SenderParts, settings: SenderSettings = usualSettings) {
    this.#db = parts.own('webhooks');
    this.#parts = parts;
    this.#settings = settings;
    this.#room = new SendingRoom(settings);
    const reader = new AudienceReader(parts);
    const config = parts.config.webhooks;
    const stopping = this.#stop.signal;
    this.#names = new NameLookUps({
      nameServers: settings.nameServers,
      asksPlatform: config.allowPrivate,
      stopping,
    });
    this.#delivery = new Delivery({
      prisma: this.#db,
      config,
      settings,
      reader,
      names: this.#names,
      stopping,
      onError: this.#onError,
    });
    this.#follower = new FeedFollower({
      db: this.#db,
      reader,
      watch: (site, onChanges) => parts.liveChanges.watchToQueue(site, onChanges),
      readsAll: () => parts.directory.isLeader(),
      onQueued: (due) => this.#send(due),
      run: (work) => this.#run(work),
    });
  }

  /** Starts to send. The database has to be migrated. */
  start(): void {
    this.#poller = new Poller({
      every: this.#settings.probeInterval,
      firstAfter: 0,
      jitter: 0.5,
      poll: () => this.look(),
      onError: this.#onError,
    });
  }

  /** Receives a notification of the database: a site has a new webhook. */
  receive([subject, site = '']: readonly string[]): void {
    if (subject === 'webhooks' && this.#poller !== null && !this.#isClosed) this.#follower.follow(site);
  }

  /** Polls all sites soon: notifications may have been missed. */
  recover(): void {
    this.#looks = 0;
  }

  findFault = (url: URL, site: string): Promise<string | null> => {
    // Messages of the site that wait for silent names do not delay it.
    return findAddressFault(
      url,
      this.#parts.config.webhooks,
      this.#names.of(`check ${site}`, this.#settings.maxChecking),
    );
  };

  sendNow = async ({ siteId, webhookId, place }: EventName): Promise<void> => {
    const [event] = await this.#hold({ siteId, webhookId }, { place });
    if (event !== undefined) await this.#run(() => this.#delivery.send(event));
  };

  /** Starts to send due events, and follows sites that have webhooks by now. */
  async look(): Promise<void> {
    const isLeader = this.#parts.directory.isLeader();
    // A new leader resumes the previous leader's feeds.
    if (isLeader && !this.#wasLeader) this.#looks = 0;
    this.#wasLeader = isLeader;
    this.#sendAwaited();
    const looks = this.#looks;
    this.#looks += 1;
    if (looks % looksBetweenAll === 0) await this.#lookAtAll();
    else if (!isLeader) return;
    const { sites } = this.#follower;
    for (let at = 0; at < sites.length; at += maxSitesAtOnce) {
      for (const due of await findDue(this.#db, sites.slice(at, at + maxSitesAtOnce))) this.#send(due);
    }
  }

  /** Stops. Resolves when running work is done, or was aborted: aborted events are sent once more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#follower.close();
    const timer = setTimeout(() => this.#stop.abort(), this.#settings.maxDraining);
    await this.#poller?.close();
    while (this.#running.size > 0) await Promise.all(this.#running);
    clearTimeout(timer);
  }

  async #lookAtAll(): Promise<void> {
    this.#follower.followOnly(await this.#findSending());
  }

  /** @throws the error of a statement; the next poll is one of all sites then */
  async #findSending(): Promise<string[]> {
    const sending: string[] = [];
    try {
      if (await hasWebhooks(this.#parts.database.statements)) {
        for await (const batch of webhookSites(this.#db)) sending.push(...(await findSending(this.#db, batch)));
      }
    } catch (error) {
      this.#looks = 0;
      throw error;
    }
    return sending;
  }

  /** Runs some work that `close` waits for. Does not reject. */
  #run(work: () => Promise<unknown>): Promise<void> {
    const running = work()
      .then(() => undefined)
      .catch(this.#onError)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Sends the due events of a webhook, as many as may be sent at the same time; each finished event makes room. */
  #send({ siteId, webhookId }: DueWebhook): void {
    const key = `${siteId} ${webhookId}`;
    const sending = this.#sendings.get(key) ?? newSending({ siteId, webhookId });
    this.#sendings.set(key, sending);
    sending.isAwaited = true;
    if (!sending.isTaking) void this.#run(() => this.#take(key, sending));
  }

  /** The room is taken before the events are: otherwise others would take it meanwhile. */
  async #take(key: string, sending: Sending): Promise<void> {
    sending.isTaking = true;
    try {
      for (let room = this.#roomFor(sending); sending.isAwaited && room > 0; room = this.#roomFor(sending)) {
        sending.isAwaited = false;
        const end = this.#count(sending, room);
        const events = await this.#hold(sending, { limit: room }).catch((error: unknown) => {
          end();
          // The next poll tries again.
          sending.isAwaited = true;
          this.#sendCrowded();
          throw error;
        });
        end();
        for (const event of events) this.#begin(sending, event);
        this.#sendCrowded();
      }
    } finally {
      sending.isTaking = false;
    }
    if (sending.isAwaited && this.#room.left(sending) <= 0) this.#crowded.add(sending);
    if (sending.underway === 0 && !sending.isFailing && !sending.isAwaited) this.#sendings.delete(key);
  }

  #hold(webhook: DueWebhook, which: Parameters<typeof leaseEvents>[2]): Promise<LeasedEvent[]> {
    return leaseEvents(this.#db, webhook, which, { holder: this.#holder, milliseconds: holdMilliseconds });
  }

  /** Sends for webhooks that found no room, as far as there is some again. */
  #sendCrowded(): void {
    for (const sending of this.#crowded) {
      if (this.#room.isFull) return;
      if (this.#room.left(sending) <= 0) continue;
      this.#crowded.delete(sending);
      this.#send(sending);
    }
  }

  /** Sends for webhooks whose due events are unknown, because they could not be taken. */
  #sendAwaited(): void {
    for (const sending of this.#sendings.values()) {
      if (sending.isAwaited && !this.#crowded.has(sending)) this.#send(sending);
    }
  }

  /** The number of further events of a webhook that may be sent now. */
  #roomFor(sending: Sending): number {
    if (this.#isClosed) return 0;
    const maxAtOnce = sending.isFailing ? 1 : this.#settings.maxAtOnce;
    return Math.min(maxAtOnce - sending.underway, this.#room.left(sending));
  }

  #begin(sending: Sending, event: LeasedEvent): void {
    const end = this.#count(sending, 1);
    void this.#run(async () => {
      try {
        const isWorking = await this.#delivery.send(event);
        if (isWorking !== null) sending.isFailing = !isWorking;
      } finally {
        end();
        sending.finished += 1;
        if (sending.finished % eventsBetweenReads === 0) this.#follower.read(sending.siteId);
        this.#send(sending);
        this.#sendCrowded();
      }
    });
  }

  /** Counts events as running. @returns a function that ends that */
  #count(sending: Sending, events: number): () => void {
    const giveBack = this.#room.take(sending, events);
    sending.underway += events;
    return () => {
      sending.underway -= events;
      giveBack();
    };
  }
}

function newSending(due: DueWebhook): Sending {
  return { ...due, underway: 0, isTaking: false, isAwaited: false, isFailing: false, finished: 0 };
}
