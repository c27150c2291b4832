// Sends one event of a webhook's queue: writes its message, posts it, and records the outcome (docs/contract.md §9).
import { v7 as uuidv7 } from 'uuid';
import type { WebhookConfig } from '../../../config/config.ts';
import { releaseEvent, type LeasedEvent } from '../queue.ts';
import type { EntryClient } from '../../../entries/model.ts';
import { ServiceError } from '../../../base/errors.ts';
import { presentSentChange, writeMessage } from '../serializer.ts';
import type { AudienceReader } from './audience.ts';
import { guardedLookup } from './lookup.ts';
import type { NameLookUps } from './names.ts';
import { noteOutcome } from './outcome.ts';
import { post, type Answer } from './post.ts';
import type { SenderSettings } from './settings.ts';
import { makeMessageId, signMessage } from './signature.ts';

/** The pause of an unreadable event, in milliseconds. */
const restMilliseconds = 5_000;

interface DeliveryParts {
  readonly prisma: EntryClient;
  readonly config: WebhookConfig;
  readonly settings: SenderSettings;
  readonly reader: AudienceReader;
  readonly names: NameLookUps;
  /** Aborts running deliveries. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

export class Delivery {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Sends an event and records the outcome. @returns whether its webhook works; null if that is unknown */
  async send(event: LeasedEvent): Promise<boolean | null> {
    const answer = await this.#post(event);
    if (answer === null) return null;
    await noteOutcome(this.#parts.prisma, event, { ...answer, id: event.deliveryId ?? uuidv7() }, this.#parts.settings);
    return event.isManual ? null : answer.error === null;
  }

  /** @returns the answer; null if the event was put back */
  async #post(event: LeasedEvent): Promise<Answer | null> {
    const body = await this.#write(event).catch((error: unknown) => {
      this.#parts.onError(error);
      return error instanceof ServiceError && error.code !== 'unavailable' ? undefined : null;
    });
    if (body === null) {
      await releaseEvent(this.#parts.prisma, event, restMilliseconds);
      return null;
    }
    if (body === undefined) return { status: null, error: 'The entry could not be read.', milliseconds: 0, text: null };
    const { config, settings, names, stopping } = this.#parts;
    const { maxAnswering, maxLookUp } = settings;
    const signed = signMessage(event.secrets, makeMessageId(event), new Date(), body);
    const headers = { 'content-type': 'application/json', 'user-agent': 'Entryway', ...signed };
    const lookup = guardedLookup(config, names.of(event.siteId, maxLookUp));
    const answer = await post({ url: event.url, headers, body }, { config, lookup, maxAnswering, stopping });
    if (answer.status !== null || !stopping.aborted) return answer;
    await releaseEvent(this.#parts.prisma, event, 0);
    return null;
  }

  /** The body of an event's message, with the entry as its audience sees it now. */
  async #write(event: LeasedEvent): Promise<string> {
    let json: string | null = null;
    const change = presentSentChange(event, () => Promise.resolve(null));
    if (change !== null && event.entryId !== null && event.type !== 'entry.removed') {
      json = await this.#parts.reader.findEntry(event.siteId, event.audience, change.channel, event.entryId);
    }
    return writeMessage(event, change, json);
  }
}
