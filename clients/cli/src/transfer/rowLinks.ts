// Finds the references that lead from rows to rows of the same import. They can only be set once their targets are stored, which
// holds for all of them when all rows are: so the order of the rows does not matter, and rings can be imported.
import type { FieldDefinition } from '../../../../src/fields/definition.ts';
import { takesChannel } from '../../../../src/fields/types.ts';
import { isObject } from '../../../../src/inputs/json.ts';
import type { RejectedRow, SourceRow } from './files/rows.ts';

type Members = Readonly<Record<string, unknown>>;

/** The members to send at first, and those to send when all rows are stored; null: there are none. */
interface SplitMembers {
  readonly now: Members;
  readonly later: Members | null;
}

export class RowLinks {
  /** The fields that refer to entries of the channel that the rows go to. */
  readonly #fields: readonly FieldDefinition[];
  /** The slugs and the kept ids of rows: of all of them, or of those before this one where rows can be read only once. */
  readonly #names = new Set<string>();

  /** @param channel the id of the channel that the rows go to */
  constructor(channel: string, fields: readonly FieldDefinition[]) {
    this.#fields = fields.filter((field) => takesChannel(field.type) && field.channel === channel);
  }

  /** Whether rows may refer to rows. */
  get canBe(): boolean {
    return this.#fields.length > 0;
  }

  /** Whether a row can't be stored before the rows that it refers to, which then have to stand before it. */
  get needsOrder(): boolean {
    return this.#fields.some(({ required }) => required);
  }

  /** Notes the names of rows. */
  async note(rows: AsyncIterable<SourceRow | RejectedRow>): Promise<void> {
    for await (const row of rows) if (!('reason' in row)) this.#noteRow(row.members, row.keptId);
  }

  /** Splits the members of a row, and notes its names. */
  split(members: Members, keptId: string | undefined): SplitMembers {
    if (!this.canBe) return { now: members, later: null };
    this.#noteRow(members, keptId);
    const optional = this.#fields.filter(({ required }) => !required).map(({ name }) => name);
    const later = optional.filter((name) => [members[name]].flat().some((target) => this.#isRow(target)));
    if (later.length === 0) return { now: members, later: null };
    const pick = (isLater: boolean): Members =>
      Object.fromEntries(Object.entries(members).filter(([name]) => later.includes(name) === isLater));
    return { now: pick(false), later: pick(true) };
  }

  #noteRow({ slug }: Members, keptId: string | undefined): void {
    if (typeof slug === 'string') this.#names.add(slug);
    if (keptId !== undefined) this.#names.add(keptId.toLowerCase());
  }

  /** Whether what names an entry names a row. */
  #isRow(target: unknown): boolean {
    const name = isObject(target) ? target['id'] : target;
    return typeof name === 'string' && (this.#names.has(name) || this.#names.has(name.toLowerCase()));
  }
}
