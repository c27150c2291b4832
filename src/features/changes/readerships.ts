// The readerships of a process: readers with the same access have their polls in common (docs/contract.md §9.2).
import { createBudget } from '../../admission/budget.ts';
import type { Context } from '../../resolvers/context.ts';
import type { ProcessParts } from '../feature.ts';
import type { FeedState } from '../../entries/feed/readChanges.ts';
import { createReadingContext } from '../../resolvers/readingContext.ts';
import type { ChangePage } from './serializer.ts';
import { RequestStats } from '../../telemetry/requestStats.ts';
import { perform } from '../../resolvers/perform.ts';
import { listChanges } from './list.ts';
import { readingKey, type Reading } from './reading.ts';
import { Readership } from './readership.ts';
import type { PollResult, Writing } from './seats.ts';

declare module '../../admission/streams.ts' {
  interface HeldOpen {
    /** The readers with which it may have polls in common. */
    readonly readerships: Readerships;
  }
}

/** A form in which pages are written. */
export interface PageForm<Written extends Writing> {
  /** Everything that the form depends on, as plain data: forms with the same key write the same. */
  readonly key: unknown;
  readonly write: (page: ChangePage, context: Context) => Promise<Written>;
}

/** The membership of a reader in a readership. */
export interface Membership<Written extends Writing> {
  readonly reading: Reading;
  readonly sit: Readership<Written>['sit'];
  readonly leave: () => void;
}

/** Maximum time for which a poll holds the slot of a large answer, in milliseconds. */
const maxLargeAnswer = 2_000;

interface Counted {
  readonly readership: Readership<Writing>;
  members: number;
}

export class Readerships {
  readonly #parts: ProcessParts;
  readonly #all = new Map<string, Counted>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  /** Joins the readers that receive the same. */
  join<Written extends Writing>(readingBase: Omit<Reading, 'form'>, form: PageForm<Written>): Membership<Written> {
    const reading = { ...readingBase, form: form.key };
    const key = readingKey(reading);
    const counted = this.#all.get(key) ?? { readership: this.#open(reading, form), members: 0 };
    counted.members += 1;
    this.#all.set(key, counted);
    // The key contains the form, and so determines the type of its output.
    const readership = counted.readership as Readership<Written>;
    return {
      reading,
      sit: (position, wake) => readership.sit(position, wake),
      leave: () => {
        counted.members -= 1;
        if (counted.members > 0) return;
        this.#all.delete(key);
        readership.close();
      },
    };
  }

  #open<Written extends Writing>(reading: Reading, { write }: PageForm<Written>): Readership<Written> {
    return new Readership({
      poll: (position, limit) => this.#poll(reading, write, position, limit),
      limit: reading.args.limit ?? 1,
      watch: (onChanges) => this.#parts.liveChanges.watch(reading.site, onChanges),
    });
  }

  /** Polls once: with the reading's values alone, so that the result is valid for every reader with these values. */
  async #poll<Written extends Writing>(
    { site, caller, useAcl, baseUrl, args }: Reading,
    write: PageForm<Written>['write'],
    after: string | null,
    limit: number,
  ): Promise<PollResult<Written>> {
    const { directory, limits, shares, liveChanges, joinClient } = this.#parts;
    const stats = new RequestStats();
    stats.requestId = 'stream';
    const db = joinClient(site, stats);
    const leaves: (() => void)[] = [];
    const enter = async (): Promise<void> => {
      const leave = await shares.of(`streams ${site}`).enterLargeAnswer();
      const begun = performance.now();
      // Readers that poll from positions of their own would delay all others: these get as much time as the poll has
      // taken.
      leaves.push(() => setTimeout(leave, performance.now() - begun).unref());
      setTimeout(leave, maxLargeAnswer).unref();
    };
    const assignPositions = (): Promise<FeedState> => liveChanges.assignAndNotify(site, db);
    const context = createReadingContext({
      site,
      caller,
      useAcl,
      baseUrl,
      stats,
      directory,
      limits,
      db,
      assignPositions,
      budget: createBudget(limits.answer, enter),
    });
    try {
      const page = await perform(listChanges, { ...args, after, limit }, context);
      const { position, more, renewCursor: makeCursor } = page;
      return { written: page.changes.length === 0 ? null : await write(page, context), position, more, makeCursor };
    } finally {
      for (const leave of leaves) leave();
    }
  }
}
