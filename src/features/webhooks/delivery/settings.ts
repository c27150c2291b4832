// The settings of a process's sending to webhooks (docs/contract.md §9).
import type { RetrySchedule } from './outcome.ts';

/** The settings of the sender. Durations are in milliseconds. */
export interface SenderSettings extends RetrySchedule {
  /** The interval between polls for due events. */
  readonly probeInterval: number;
  readonly maxAnswering: number;
  /** The number of events of a webhook that a process sends at the same time; of a failing one, only one. */
  readonly maxAtOnce: number;
  /** The number of events of all webhooks; failing ones have half of it. */
  readonly maxInProcess: number;
  /** The time that running work has when the process stops. */
  readonly maxDraining: number;
  /** The number of events of the webhooks of one site: others do not wait for a site with slow receivers. */
  readonly maxOfSite: number;
  /** The time of a name's look-up: before a message and, below, while a webhook is created or changed. */
  readonly maxLookUp: number;
  readonly maxChecking: number;
  /** The name servers, such as `127.0.0.1:53`; undefined for those of the machine. */
  readonly nameServers: readonly string[] | undefined;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

export const usualSettings: SenderSettings = {
  pauses: [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 3 * hour, 8 * hour, 24 * hour],
  jitter: 0.2,
  maxFailing: 5 * 24 * hour,
  probeInterval: second,
  maxAnswering: 10 * second,
  maxAtOnce: 8,
  maxInProcess: 256,
  maxDraining: 2 * second,
  maxOfSite: 64,
  maxLookUp: 5 * second,
  maxChecking: 2 * second,
  nameServers: undefined,
};
