// Statements whose text is put together once for many uses: in place of the values that differ they have slots, which
// each use fills. Putting a fetch's text together takes longer, and more memory, than everything else about it.
import { LRUCache } from 'lru-cache';
import { Prisma } from '../generated/prisma/client.ts';

/** A value of a statement that each use gives. @typeParam Given what a use gives */
export class Slot<Given> {
  readonly read: (given: Given) => unknown;

  constructor(read: (given: Given) => unknown) {
    this.read = read;
  }
}

/** A statement that keeps its text: `Prisma.Sql` joins its parts each time that it is asked. */
class FilledSql extends Prisma.Sql {
  readonly #text: string;

  constructor(strings: readonly string[], values: readonly unknown[], text: string) {
    super(strings, values);
    this.#text = text;
  }

  override get text(): string {
    return this.#text;
  }
}

/** A statement with slots. */
export class Shape<Given> {
  readonly #strings: readonly string[];
  readonly #values: readonly unknown[];
  readonly #text: string;

  constructor({ strings, values, text }: Prisma.Sql) {
    this.#strings = strings;
    this.#values = values;
    this.#text = text;
  }

  /** The statement with the values that `given` has for its slots. */
  fill(given: Given): Prisma.Sql {
    const values = this.#values.map((value) => (value instanceof Slot ? (value as Slot<Given>).read(given) : value));
    return new FilledSql(this.#strings, values, this.#text);
  }
}

/**
 * The number of channels whose statements are kept, and of statements for each: some 3 kB each. Callers choose the size of a
 * page, so that the oldest statement of a channel makes room for a new one.
 */
const maxChannels = 1_000;
const maxKinds = 12;

/**
 * The statements of channels that were put together, by their kinds. A channel whose row changes has a new object, whatever of
 * it changed.
 */
export class Shapes<Given> {
  readonly #ofChannel = new LRUCache<object, Map<string, Shape<Given>>>({ max: maxChannels });

  /**
   * @param channel the row from which the statement is made
   * @param kind names what the text depends on besides the row
   * @param make puts the statement together, with slots
   */
  of(channel: object, kind: string, make: () => Prisma.Sql): Shape<Given> {
    const shapes = this.#ofChannel.get(channel) ?? new Map<string, Shape<Given>>();
    const known = shapes.get(kind);
    if (known !== undefined) return known;
    const shape = new Shape<Given>(make());
    for (const oldest of shapes.keys()) {
      if (shapes.size < maxKinds) break;
      shapes.delete(oldest);
    }
    this.#ofChannel.set(channel, shapes.set(kind, shape));
    return shape;
  }
}
