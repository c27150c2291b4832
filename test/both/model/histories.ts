// Random histories, run against the service and the model at once.
import fc from 'fast-check';
import { withEntries } from '../../../src/entries/model.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { databaseKind } from '../../support/db.ts';
import { seedOf } from '../../support/seed.ts';
import { apply } from './apply.ts';
import { checkRules } from './check.ts';
import { Client } from './client.ts';
import { checkDoors } from './doors.ts';
import type { Note } from './model.ts';
import { checkMoment } from './sharedCounts.ts';
import { directed } from './directed.ts';
import { everyRule } from './rules.ts';
import { shortest } from './shrink.ts';
import { history, readable, type Step } from './steps.ts';
import { World } from './world.ts';

const steps = 30;
/** All doors are asked after so many steps, and at the end. */
const doorsEvery = 10;
/** Each half of a run of the suite does so many random ones; the embedded database a few, since it is several times slower. */
const usualRuns = databaseKind === 'postgresql' ? 20 : 3;
/** How long a failing history may be shortened, in milliseconds. */
const shrinkLimit = 30_000;
/** A run of so many, with the directed ones before them, must meet every rule. */
const minForEveryRule = 20;

/** All questions of a caller go into one document; none of this is about limits. */
const environment = {
  LOG_LEVEL: 'error',
  RATE_LIMIT: 'off',
  GRAPHQL_MAX_ALIASES: '1000',
  GRAPHQL_MAX_ROOT_FIELDS: '1000',
};

/** One half of the histories, on a service of its own. The halves run side by side. */
export class Histories {
  /** Longer than any run: `npm run prove` asks for as many histories as somebody has patience for. */
  static readonly timeLimit = 24 * 60 * 60_000;
  readonly title: string;
  readonly #runs = Number(process.env['RUNS'] ?? usualRuns);
  readonly #seed: number;
  readonly #decided = new Map<string, number>(everyRule.map((rule) => [rule, 0]));
  readonly #note: Note = (rule) => this.#decided.set(rule, (this.#decided.get(rule) ?? 0) + 1);
  #app: TestApp | undefined;
  #client: Client | undefined;
  #done = 0;

  constructor(half: 1 | 2) {
    this.#seed = seedOf(process.env['SEED']) * 2 + half;
    this.title = `${this.#runs} histories of ${steps} steps, of seed ${this.#seed}`;
  }

  async open(): Promise<void> {
    // Refusals are most of what is answered: one line of where they were made is enough for the watch to find a stack by.
    Error.stackTraceLimit = 1;
    this.#app = await startApp(environment);
    this.#client = new Client(this.#app.url);
  }

  async close(): Promise<void> {
    this.#client?.close();
    await this.#app?.close();
  }

  /**
   * Runs them, and prints how many, and how often each rule decided.
   * @throws Error with the shortest history found that differs, as numbered steps
   */
  async expectAgreement(): Promise<void> {
    process.stdout.write(`\n${this.title}\n`);
    const begun = performance.now();
    try {
      if (this.#runs >= minForEveryRule) await this.#checkDirected();
      await this.#check();
    } finally {
      const seconds = Math.round((performance.now() - begun) / 1000);
      const table = [...this.#decided].map(([rule, times]) => `${String(times).padStart(9)}  ${rule}`).join('\n');
      const sent = this.#client?.sent;
      process.stdout.write(
        `\n${this.#done} histories, ${sent} requests, ${seconds} s. The rules that decided:\n${table}\n`,
      );
    }
  }

  async #checkDirected(): Promise<void> {
    for (const sequence of directed) {
      const reason = await this.#whyItFails(sequence);
      if (reason === null) continue;
      throw new Error(`A directed history differs from the model:\n${readable(sequence)}\n\n${reason}`);
    }
  }

  async #check(): Promise<void> {
    const property = fc.asyncProperty(history(steps), (sequence) => this.#run(sequence));
    const result = await fc.check(property, { numRuns: this.#runs, seed: this.#seed, endOnFailure: true });
    const [sequence] = result.counterexample ?? [];
    if (sequence === undefined) return;
    const { steps: few, reason } = await shortest(sequence, (each) => this.#whyItFails(each), shrinkLimit);
    const once = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
    throw new Error(
      `A history of seed ${this.#seed} (path ${result.counterexamplePath}) differs from the model:\n` +
        `${readable(few)}\n\n${reason ?? `It did so once, and not again: ${once}`}`,
    );
  }

  async #whyItFails(sequence: readonly Step[]): Promise<string | null> {
    try {
      await this.#run(sequence);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Rules of the contract that never decided, where there are histories enough for each. */
  get idle(): string[] {
    return this.#runs < minForEveryRule ? [] : everyRule.filter((rule) => this.#decided.get(rule) === 0);
  }

  /** What decided and is no rule that the model lists. */
  get unlisted(): string[] {
    return [...this.#decided.keys()].filter((rule) => !everyRule.includes(rule));
  }

  async #run(sequence: readonly Step[]): Promise<void> {
    if (this.#app === undefined || this.#client === undefined) throw new Error('open() comes first');
    const { prisma, statements } = this.#app.database;
    const { entry } = withEntries(prisma, statements);
    const announce = async (): Promise<void> => {
      let busy: readonly string[] = [];
      for (let isAll = false; !isAll;) ({ isAll, busy } = await entry.announceDue(new Date(), 100, busy));
    };
    const world = await World.create(prisma, this.#client, announce);
    for (const [index, step] of sequence.entries()) {
      await apply(world, step, this.#note);
      await checkRules(world, this.#note);
      const isEnd = index + 1 === sequence.length;
      await world.feeds.check(world, isEnd ? null : index);
      if (isEnd || (index + 1) % doorsEvery === 0) await checkDoors(world, isEnd, this.#note);
    }
    await checkMoment(world);
    this.#done += 1;
  }
}
