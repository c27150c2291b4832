// Batcher: concurrent items are run together, by one call for many of them.

interface BatcherOptions<Item, Result> {
  /** Runs a batch. @returns the result of each item, in their order; a result that takes longer is a promise */
  readonly run: (batch: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>;
  /** The greatest number of items in a batch and, below, their total size. */
  readonly maxItems: number;
  readonly maxSize: number;
  /** The size of an item. It is not called for an item that runs alone. */
  readonly sizeOf: (item: Item) => number;
  /** The time after which an item no longer waits for the end of an earlier batch, in milliseconds. */
  readonly maxWait: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The items of one key. */
interface Queue<Item, Result> {
  /** The number of running batches. */
  running: number;
  waiting: Waiting<Item, Result>[];
  /** Runs the waiting items. */
  timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
}

/**
 * The number of keys without items that are remembered: a map that each item fills and empties keeps garbage
 * (src/http/unsent.ts).
 */
const maxIdleKeys = 1_000;

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #queues = new Map<string, Queue<Item, Result>>();

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /**
   * Runs an item together with those of its key that come in the same turn of the event loop, or while earlier ones are
   * run.
   * @throws the error of the batch, as for all of its items
   */
  add(key: string, item: Item): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [], timer: undefined };
    this.#queues.set(key, queue);
    return new Promise<Result>((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject });
      const flush = (): void => this.#flush(key, queue);
      queue.timer ??= queue.running === 0 ? setImmediate(flush) : setTimeout(flush, this.#options.maxWait);
    });
  }

  #flush(key: string, queue: Queue<Item, Result>): void {
    clearTimeout(queue.timer as NodeJS.Timeout);
    queue.timer = undefined;
    while (queue.waiting.length > 0) {
      queue.running += 1;
      void this.#run(this.#takeBatch(queue)).finally(() => {
        queue.running -= 1;
        if (queue.waiting.length > 0) this.#flush(key, queue);
        else if (queue.running === 0 && this.#queues.size > maxIdleKeys) this.#queues.delete(key);
      });
    }
  }

  /** Takes the items to run together next: at least one. */
  #takeBatch({ waiting }: Queue<Item, Result>): Waiting<Item, Result>[] {
    if (waiting.length === 1) return waiting.splice(0);
    const { maxItems, maxSize, sizeOf } = this.#options;
    let size = 0;
    const over = waiting.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index === maxItems || (index > 0 && size > maxSize);
    });
    return waiting.splice(0, over === -1 ? waiting.length : over);
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('A batch has one result for each of its items.');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
