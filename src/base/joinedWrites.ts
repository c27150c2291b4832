// Joins writes of one kind that come at the same time: one statement for many of them takes a third of the time that a statement
// for each takes.

/** How many writes are joined at most, and how many characters they have together. */
const maxJoined = 32;
const maxJoinedCharacters = 262_144;

/** After this many milliseconds a write no longer waits for an earlier one, which may wait for a lock. */
const maxJoinWait = 20;

/** Runs several writes together. @returns the result of each, in their order; a result that takes longer is a promise */
export type RunAll<Item, Result> = (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>;

interface Waiting {
  readonly item: unknown;
  readonly countCharacters: () => number;
  readonly runAll: RunAll<unknown, unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** The writes of one kind. */
interface Kind {
  /** How many runs have not ended. */
  running: number;
  waiting: Waiting[];
  /** Sends the waiting writes. */
  timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
}

/** How many kinds are remembered that have no writes under way: a map that each write fills and empties keeps garbage (src/http/unsent.ts). */
const maxIdleKinds = 1_000;

export class JoinedWrites {
  readonly #kinds = new Map<string, Kind>();

  /**
   * Runs a write together with those of its kind that come while an earlier one is under way, or in the same turn of the event
   * loop. Each has its own result; if the run fails, all fail.
   * @param kind names what can be run together
   * @param countCharacters measures the write; not called for one that runs alone
   * @param runAll runs joined writes: the function of the first one is called, because its request has not ended
   */
  run<Item, Result>(
    kind: string,
    item: Item,
    countCharacters: (item: Item) => number,
    runAll: RunAll<Item, Result>,
  ): Promise<Result> {
    const known = this.#kinds.get(kind) ?? { running: 0, waiting: [], timer: undefined };
    this.#kinds.set(kind, known);
    return new Promise<Result>((resolve, reject) => {
      known.waiting.push({
        item,
        countCharacters: () => countCharacters(item),
        runAll: runAll as RunAll<unknown, unknown>,
        resolve,
        reject,
      });
      const send = (): void => this.#send(kind, known);
      known.timer ??= known.running === 0 ? setImmediate(send) : setTimeout(send, maxJoinWait);
    });
  }

  #send(name: string, kind: Kind): void {
    clearTimeout(kind.timer as NodeJS.Timeout);
    kind.timer = undefined;
    while (kind.waiting.length > 0) {
      const joined = takeFirst(kind);
      kind.running += 1;
      void runJoined(joined).finally(() => {
        kind.running -= 1;
        if (kind.waiting.length > 0) this.#send(name, kind);
        else if (kind.running === 0 && this.#kinds.size > maxIdleKinds) this.#kinds.delete(name);
      });
    }
  }
}

/** Takes the writes that are run together next: at least one. */
function takeFirst(kind: Kind): Waiting[] {
  if (kind.waiting.length === 1) return kind.waiting.splice(0);
  let characters = 0;
  const over = kind.waiting.findIndex((write, index) => {
    characters += write.countCharacters();
    return index === maxJoined || (index > 0 && characters > maxJoinedCharacters);
  });
  return kind.waiting.splice(0, over === -1 ? kind.waiting.length : over);
}

async function runJoined(joined: readonly Waiting[]): Promise<void> {
  try {
    const results = (await joined[0]?.runAll(joined.map(({ item }) => item))) ?? [];
    for (const [index, { resolve }] of joined.entries()) resolve(results[index] as never);
  } catch (error) {
    for (const { reject } of joined) reject(error);
  }
}
