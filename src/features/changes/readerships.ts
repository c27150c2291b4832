// The readerships of a process: who waits for changes shares the looks of all who see the same (docs/contract.md §9.2).
import { createBudget } from '../../admission/budget.ts';
import type { Limits } from '../../config/config.ts';
import type { Context } from '../../resolvers/context.ts';
import type { LiveChanges } from '../../entries/feed/liveChanges.ts';
import type { EntryClient } from '../../entries/model.ts';
import type { FeedState } from '../../entries/feed/readChanges.ts';
import { createReadingContext } from '../../resolvers/readingContext.ts';
import type { ChangePage } from './serializer.ts';
import type { Shares } from '../../admission/shares.ts';
import { RequestAccount } from '../../telemetry/account.ts';
import { perform } from '../../resolvers/perform.ts';
import { listChanges } from './list.ts';
import { readingKey, type Reading } from './reading.ts';
import { Readership } from './readership.ts';
import type { Look, Writing } from './seats.ts';

/** The parts of the process that looks use. */
export interface ReadershipsParts {
  /** The client for statements about a site, which joins those of readers who see different things. */
  readonly at: (site: string, account: RequestAccount) => EntryClient;
  readonly directory: Context['services']['directory'];
  readonly limits: Limits;
  readonly shares: Pick<Shares, 'of'>;
  /** Calls a function each time that a site may have new changes. @returns ends that */
  readonly watch: (site: string, onChanges: () => void) => () => void;
  /** Gives places to a site's new changes, and tells all processes. */
  readonly placeBy: LiveChanges['placeBy'];
}

/** A form in which pages are written. */
export interface PageForm<Written extends Writing> {
  /** All that it depends on, as plain data: forms with the same key write the same. */
  readonly key: unknown;
  readonly write: (page: ChangePage, context: Context) => Promise<Written>;
}

/** A reader's part in a readership. */
export interface Membership<Written extends Writing> {
  readonly reading: Reading;
  readonly sit: Readership<Written>['sit'];
  readonly leave: () => void;
}

/** How a look's turn with a large answer is held at most, in milliseconds. */
const maxLargeAnswer = 2_000;

interface Counted {
  readonly readership: Readership<Writing>;
  members: number;
}

export class Readerships {
  readonly #parts: ReadershipsParts;
  readonly #all = new Map<string, Counted>();

  constructor(parts: ReadershipsParts) {
    this.#parts = parts;
  }

  /** Joins those who are told the same. */
  join<Written extends Writing>(given: Omit<Reading, 'form'>, form: PageForm<Written>): Membership<Written> {
    const reading = { ...given, form: form.key };
    const key = readingKey(reading);
    const counted = this.#all.get(key) ?? { readership: this.#open(reading, form), members: 0 };
    counted.members += 1;
    this.#all.set(key, counted);
    // The key tells of the form, and with it of what it writes.
    const readership = counted.readership as Readership<Written>;
    return {
      reading,
      sit: (place, wake) => readership.sit(place, wake),
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
      look: (place, limit) => this.#look(reading, write, place, limit),
      limit: reading.args.limit ?? 1,
      watch: (onChanges) => this.#parts.watch(reading.site, onChanges),
    });
  }

  /** Looks once: with the reading's values alone, so that the look is one for everybody who has them. */
  async #look<Written extends Writing>(
    { site, caller, useAcl, baseUrl, args }: Reading,
    write: PageForm<Written>['write'],
    after: string | null,
    limit: number,
  ): Promise<Look<Written>> {
    const { at, directory, limits, shares, placeBy } = this.#parts;
    const account = new RequestAccount();
    const db = at(site, account);
    const leaves: (() => void)[] = [];
    const enter = async (): Promise<void> => {
      const leave = await shares.of(`streams ${site}`).enterLargeAnswer();
      const begun = performance.now();
      // Readers who look from places of their own would hold up all others: these have as much time as the look has taken.
      leaves.push(() => setTimeout(leave, performance.now() - begun).unref());
      setTimeout(leave, maxLargeAnswer).unref();
    };
    const placeChanges = (): Promise<FeedState> => placeBy(site, db);
    const parts = { site, caller, useAcl, baseUrl, requestId: 'stream', account, directory, limits, db, placeChanges };
    const context = createReadingContext({ ...parts, budget: createBudget(limits.answer, enter) });
    try {
      const page = await perform(listChanges, { ...args, after, limit }, context);
      const { place, more, renewCursor: makeCursor } = page;
      return { written: page.changes.length === 0 ? null : await write(page, context), place, more, makeCursor };
    } finally {
      for (const leave of leaves) leave();
    }
  }
}
