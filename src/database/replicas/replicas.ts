// Chooses the standby for a read, if any (docs/contract.md §13.7). A standby may be used if it is proven to have
// replayed all commits up to a recent time, and all that the reader depends on: this process's writes to the site, and
// the versions of the channels and the token that decide the reader's access. All times are of this process's clock.
import { LRUCache } from 'lru-cache';
import { Poller } from '../../base/poller.ts';
import type { ReplicasState } from '../../telemetry/gauges.ts';
import type { Standby, StandbyListener, Standbys } from '../database.ts';
import type { Replica } from './replica.ts';

/** The number of polls of a standby within the allowed lag; and the limits of their interval, in milliseconds. */
const asksWithinLag = 8;
const minInterval = 25;
const maxInterval = 250;
/** The pause after a poll that failed, in milliseconds. */
const failurePause = 1_000;

/** The number of sites, and of versions, whose times are kept. */
const maxRemembered = 10_000;

export class Replicas implements Standbys {
  readonly #replicas: readonly Replica[];
  readonly #maxLag: number;
  readonly #pollers: Poller[] = [];
  #isClosed = false;
  /** The time of this process's last write to a site. */
  readonly #writes = new LRUCache<string, number>({
    max: maxRemembered,
    dispose: (writtenAt, _site, reason) => {
      if (reason === 'evict') this.#forgottenWrites = Math.max(this.#forgottenWrites, writtenAt);
    },
  });
  /** The time of the latest write that was dropped from `#writes`; it counts as a write to each site. */
  #forgottenWrites = -Infinity;
  /** The time at which this process first saw each version. One that was dropped counts as new. */
  readonly #seen = new LRUCache<string, number>({ max: maxRemembered });
  #turn = 0;
  #primaryReads = 0;

  /** @param maxLag the lag up to which a standby is used, in milliseconds */
  constructor(replicas: readonly Replica[], maxLag: number) {
    this.#replicas = replicas;
    this.#maxLag = maxLag;
  }

  start(listener: StandbyListener): void {
    for (const [index, replica] of this.#replicas.entries()) {
      this.#pollers.push(this.#follow(replica, (...state) => listener(index + 1, ...state)));
    }
  }

  choose(site: string, seenAt: number): Replica | null {
    for (const _each of this.#replicas) {
      this.#turn = (this.#turn + 1) % this.#replicas.length;
      const replica = this.#replicas[this.#turn];
      if (replica !== undefined && this.mayUse(replica, site, seenAt)) return replica;
    }
    return null;
  }

  mayUse({ provenUntil }: Pick<Standby, 'provenUntil'>, site: string, seenAt: number): boolean {
    const writtenAt = this.#writes.get(site) ?? -Infinity;
    const oldest = performance.now() - this.#maxLag;
    return provenUntil >= Math.max(writtenAt, this.#forgottenWrites, seenAt, oldest);
  }

  wrote(site: string): void {
    this.#writes.set(site, performance.now());
  }

  firstSeen(what: string): number {
    const known = this.#seen.get(what);
    if (known !== undefined) return known;
    const now = performance.now();
    this.#seen.set(what, now);
    return now;
  }

  countPrimaryRead(): void {
    this.#primaryReads += 1;
  }

  readState(): ReplicasState {
    return { replicas: this.#replicas.map((replica) => replica.readState()), primaryReads: this.#primaryReads };
  }

  /** Stops polling, and ends all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#pollers, ...this.#replicas].map((each) => each.close()));
  }

  #follow(replica: Replica, tell: (isUsed: boolean, error: unknown) => void): Poller {
    const interval = Math.min(Math.max(this.#maxLag / asksWithinLag, minInterval), maxInterval);
    let told: boolean | null = null;
    let round = 0;
    let failure: unknown = null;
    const poll = async (): Promise<void> => {
      round += 1;
      failure = null;
      await replica.measure(this.#maxLag).catch((error: unknown) => (failure = error));
      if (this.#isClosed) return;
      const isUsed = replica.lag <= this.#maxLag;
      // Only a few answers show that a standby of a busy primary keeps up.
      const isKnown = isUsed || told !== null || failure !== null || round > asksWithinLag;
      if (isKnown && isUsed !== told) tell((told = isUsed), failure);
    };
    const every = (): number => (failure === null ? interval : failurePause);
    return new Poller({ every, firstAfter: 0, poll, onError: (error) => tell(false, error) });
  }
}
