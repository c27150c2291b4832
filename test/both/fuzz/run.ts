// A run: rounds of requests, each to sites of its own, some at a time, until the time is over. After each round the
// database itself tells whether what is protected is unchanged.
import type { TestApp } from '../../support/app.ts';
import { minimise, nextPlan, wireFor, type Plan } from './generate.ts';
import { doorOf } from './judge.form.ts';
import { judge, type Circumstances, type Finding } from './judge.ts';
import { seeded, type Random } from '../../support/random.ts';
import { asksForChange, dump, type Wire } from './request.ts';
import { fill, openSender, type Sender } from './send.ts';
import { memory, watchLoop } from './watch.ts';
import { snapshot, wrongChanges } from './world.check.ts';
import { buildWorld, canaryShape, clearWorld } from './world.ts';

export interface Report {
  readonly sent: number;
  /** Answers by door and status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly perSecond: number;
  /** In milliseconds. */
  readonly slowest: number;
  readonly longestBlock: number;
  /** In megabytes: after the first round, and at the end. */
  readonly memory: readonly [Memory, Memory];
  /** What was wrong, with the request that showed it. */
  readonly failures: readonly string[];
}

type Memory = ReturnType<typeof memory>;

export interface Settings {
  readonly seconds: number;
  readonly seed: number;
  readonly production: boolean;
}

const perRound = 800;
const atOnce = 8;
/** Failures of different kinds that are looked into; a run ends with that many. */
const maxFailures = 8;

/** Sends mutated requests for as long as it is told, and one round of them even where that takes longer. */
export async function fuzz(app: TestApp, { seconds, seed, production }: Settings): Promise<Report> {
  const random = seeded(seed);
  const run = new Run(app, production);
  const loop = watchLoop();
  const begun = performance.now();
  const isOver = (): boolean =>
    (performance.now() - begun > seconds * 1000 && run.sent >= perRound) || run.failures.size >= maxFailures;
  const samples: Memory[] = [];
  try {
    while (!isOver()) {
      await run.round(random, isOver);
      samples.push(memory());
    }
  } finally {
    loop.stop();
    run.close();
  }
  const took = (performance.now() - begun) / 1000;
  const first = samples[0] ?? memory();
  return {
    sent: run.sent,
    answers: Object.fromEntries([...run.answers].sort(([one], [other]) => one.localeCompare(other))),
    perSecond: Math.round(run.sent / took),
    slowest: Math.round(run.slowest),
    longestBlock: Math.round(loop.longest()),
    memory: [first, samples.at(-1) ?? first],
    failures: [...run.failures.values()],
  };
}

/** Sends one request, as `dump` wrote it, to sites of its own; what is wrong with the answer. */
export async function replay(app: TestApp, wire: Wire, production: boolean): Promise<string[]> {
  const run = new Run(app, production);
  await run.replay(wire);
  run.close();
  return [...run.failures.values()];
}

class Run {
  sent = 0;
  slowest = 0;
  readonly answers = new Map<string, number>();
  /** By what is wrong, so that one fault is told once. */
  readonly failures = new Map<string, string>();
  readonly #app: TestApp;
  readonly #production: boolean;
  readonly #sender: Sender;

  constructor(app: TestApp, production: boolean) {
    this.#app = app;
    this.#production = production;
    this.#sender = openSender(app.url);
  }

  async round(random: Random, isOver: () => boolean): Promise<void> {
    await this.#inWorld(random, async (circumstances) => {
      let left = perRound;
      const work = async (): Promise<void> => {
        while (left > 0 && !isOver()) {
          left -= 1;
          await this.#try(nextPlan(random), circumstances);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    });
  }

  async replay(wire: Wire): Promise<void> {
    await this.#inWorld(seeded(1), async (circumstances) => {
      for (const finding of await this.#findings(wire, circumstances)) {
        this.failures.set(kindOf(finding, wire), describe(finding, wire, 1));
      }
    });
  }

  close(): void {
    this.#sender.close();
  }

  /** Builds sites, does something in them, and sees that nothing changed there that must not. */
  async #inWorld(random: Random, work: (circumstances: Circumstances & Told) => Promise<void>): Promise<void> {
    const db = this.#app.database.prisma;
    const world = await buildWorld(this.#app, random);
    const before = await snapshot(db, world);
    await work({ world, production: this.#production, told: new Set() });
    for (const what of wrongChanges(before, await snapshot(db, world), world))
      this.failures.set(what.slice(0, 60), what);
    await clearWorld(db, world);
  }

  async #try(plan: Plan, circumstances: Circumstances & Told): Promise<void> {
    const wire = wireFor(plan);
    for (const finding of await this.#findings(wire, circumstances)) {
      const kind = kindOf(finding, wire);
      if (this.failures.has(kind)) continue;
      const found = this.sent;
      this.failures.set(kind, describe(finding, wire, found));
      if (finding.rule === 'hang') continue;
      const isWrong = async (smaller: Wire): Promise<boolean> =>
        (await this.#findings(smaller, circumstances)).some((each) => kindOf(each, smaller) === kind);
      const smallest = wireFor(await minimise(plan, isWrong));
      this.failures.set(kind, describe(finding, smallest, found));
    }
  }

  /** Sends a request; what is wrong with the answer. */
  async #findings(wire: Wire, circumstances: Circumstances & Told): Promise<Finding[]> {
    const message = fill(wire, circumstances.world.values);
    if (asksForChange(wire)) tell(message.sent, circumstances);
    this.sent += 1;
    try {
      const answer = await this.#sender.send(message);
      this.slowest = Math.max(this.slowest, answer.took);
      const key = `${doorOf(wire)} ${answer.status}`;
      this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
      return judge(wire, message, answer, circumstances);
    } catch (error) {
      const { message: what } = error as Error;
      return [{ rule: /time|open/.test(what) ? 'hang' : 'form', what }];
    }
  }
}

interface Told {
  readonly told: Set<string>;
}

/** What a write brings along may come back in any later answer. */
function tell(sent: string, { told }: Told): void {
  for (const word of sent.toLowerCase().match(canaryShape) ?? []) told.add(word);
}

/** What failures have in common that are one fault. */
function kindOf({ rule, what }: Finding, wire: Wire): string {
  const plain = what.replace(/cnry\w+|[0-9a-f-]{30,}|\d{4,}/g, '…').slice(0, 60);
  return `${rule} ${doorOf(wire)} ${rule === 'canary' ? plain.replace(/^.*?'s| shown to.*$/g, '') : plain}`;
}

function describe({ rule, what }: Finding, wire: Wire, found: number): string {
  const made = `${wire.seed} after ${wire.steps.join(', ') || 'nothing'}`;
  return `${rule}: ${what}\nrequest ${found}: ${made}\n${dump(wire)}`;
}

/** A run in some lines. */
export function summary(report: Report, { seed, seconds }: Settings): string {
  const { sent, answers, perSecond, slowest, longestBlock, failures } = report;
  const [first, last] = report.memory;
  const counts = Object.entries(answers).map(([key, count]) => `${key}: ${count}`);
  return [
    `fuzz: seed ${seed}, ${seconds} s: ${sent} requests, ${perSecond}/s; slowest ${slowest} ms, loop held up ${longestBlock} ms at most`,
    `fuzz: heap ${first.heap} → ${last.heap} MB, resident ${first.resident} → ${last.resident} MB; failures: ${failures.length}`,
    `fuzz: ${counts.join(', ')}`,
  ].join('\n');
}
