// Bounds the events that a process sends at the same time: of all webhooks together, of those of one site, and of
// failing ones (docs/contract.md §9.3).
import type { SenderSettings } from './settings.ts';

/** The webhook whose events are sent. */
export interface Sender {
  readonly siteId: string;
  readonly isFailing: boolean;
}

export class SendingRoom {
  readonly #settings: Pick<SenderSettings, 'maxInProcess' | 'maxOfSite'>;
  readonly #ofSite = new Map<string, number>();
  #ofAll = 0;
  #ofFailing = 0;

  constructor(settings: Pick<SenderSettings, 'maxInProcess' | 'maxOfSite'>) {
    this.#settings = settings;
  }

  get isFull(): boolean {
    return this.#ofAll >= this.#settings.maxInProcess;
  }

  /** The number of further events of a webhook that may be sent now. */
  left({ siteId, isFailing }: Sender): number {
    const { maxInProcess, maxOfSite } = this.#settings;
    const left = Math.min(maxInProcess - this.#ofAll, maxOfSite - (this.#ofSite.get(siteId) ?? 0));
    return isFailing ? Math.min(left, Math.floor(maxInProcess / 2) - this.#ofFailing) : left;
  }

  /**
   * Takes room for events.
   * @returns a function that gives back the same room, even if the webhook has begun or ceased to fail meanwhile
   */
  take({ siteId, isFailing }: Sender, events: number): () => void {
    this.#add(siteId, isFailing, events);
    return () => this.#add(siteId, isFailing, -events);
  }

  #add(siteId: string, isFailing: boolean, events: number): void {
    this.#ofAll += events;
    if (isFailing) this.#ofFailing += events;
    const ofSite = (this.#ofSite.get(siteId) ?? 0) + events;
    if (ofSite === 0) this.#ofSite.delete(siteId);
    else this.#ofSite.set(siteId, ofSite);
  }
}
