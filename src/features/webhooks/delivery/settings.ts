// How a process sends to webhooks (docs/contract.md §9).
import type { RetrySchedule } from './outcome.ts';

/** How the sender works. Durations are in milliseconds. */
export interface SenderSettings extends RetrySchedule {
  /** How often a process looks for what is due. */
  readonly lookInterval: number;
  readonly maxAnswering: number;
  /** How many events of a webhook a process sends at the same time; of one that fails, only one. */
  readonly maxAtOnce: number;
  /** How many of all webhooks; those that fail have half of it. */
  readonly maxInProcess: number;
  /** How long what is under way may take when the process stops. */
  readonly maxDraining: number;
  /** How many of the webhooks of one site: others do not wait for one whose receivers are slow. */
  readonly maxOfSite: number;
  /** How long the look-up of a name may take: before a message, and while a webhook is created or changed. */
  readonly maxLookUp: number;
  readonly maxChecking: number;
  /** The name servers, such as `127.0.0.1:53`; undefined: those of the machine. */
  readonly nameServers: readonly string[] | undefined;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

export const usualSettings: SenderSettings = {
  pauses: [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 3 * hour, 8 * hour, 24 * hour],
  jitter: 0.2,
  maxFailing: 5 * 24 * hour,
  lookInterval: second,
  maxAnswering: 10 * second,
  maxAtOnce: 8,
  maxInProcess: 256,
  maxDraining: 2 * second,
  maxOfSite: 64,
  maxLookUp: 5 * second,
  maxChecking: 2 * second,
  nameServers: undefined,
};
