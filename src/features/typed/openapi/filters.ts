// The comparisons of lists in the OpenAPI document: each is a separate query parameter, because generators of clients
// disagree on the serialization of objects (docs/contract.md §11.1).
import { compiledFields } from '../../../fields/compiled.ts';
import { countFilters, fieldFilters, memberFilters, reachedFilters, type FilterParameter } from './filterNames.ts';
import type { KnownChannel } from '../../../management/channels/describe.ts';
import { mayReadPrivateMembers, type CallerKind } from '../../../rules/callers.ts';

/** Maximum number of comparisons that are parameters of a document; the others can be sent in `where`. */
const maxFilters = 40_000;

const commaList = { $ref: '#/components/schemas/CommaList' };

/** The levels of detail of comparisons, most detailed first. */
const levels = ['through references', 'by every operator', 'for equality', 'none'] as const;
type Level = (typeof levels)[number];

/** The comparisons that a document describes. */
export class DescribedFilters {
  readonly #ofMembers: readonly FilterParameter[];
  readonly #channels: ReadonlyMap<string, KnownChannel>;
  readonly #level: Level;

  /** @param channels all channels of the document, whose number decides the level of detail */
  constructor(kind: CallerKind | null, channels: readonly KnownChannel[]) {
    this.#ofMembers = memberFilters(kind !== null && mayReadPrivateMembers({ kind }));
    this.#channels = new Map(channels.map((each) => [each.id, each]));
    // Only the numbers are computed for all channels in one turn of the event loop.
    const counts = new Map(channels.map((each) => [each.id, countFilters(each)]));
    const reached = channels.flatMap(targetsOf).map(([, target]) => counts.get(target)?.reached ?? 0);
    const all = sum([...counts.values()].map(({ own }) => own)) + channels.length * this.#ofMembers.length;
    const equal = sum([...counts.values()].map(({ equal }) => equal)) + channels.length * this.#equalities().length;
    const sizes: Readonly<Record<Level, number>> = {
      'through references': all + sum(reached),
      'by every operator': all,
      'for equality': equal,
      none: 0,
    };
    this.#level = levels.find((level) => sizes[level] <= maxFilters) ?? 'none';
  }

  /** The parameters of a channel's lists. @param channel null for those of any channel */
  parametersOf(channel: KnownChannel | null): object[] {
    return [
      ...(channel === null ? [] : this.#fieldsOf(channel).map(describe)),
      ...this.#membersOf().map(({ name }) => ({ $ref: `#/components/parameters/${componentName(name)}` })),
    ];
  }

  /** The parameters that the lists of all channels have. */
  components(): Record<string, object> {
    return Object.fromEntries(this.#ofMembers.map((each) => [componentName(each.name), describe(each)]));
  }

  #membersOf(): readonly FilterParameter[] {
    if (this.#level === 'none') return [];
    return this.#level === 'for equality' ? this.#equalities() : this.#ofMembers;
  }

  #equalities(): readonly FilterParameter[] {
    return this.#ofMembers.filter(isEquality);
  }

  #fieldsOf(channel: KnownChannel): readonly FilterParameter[] {
    if (this.#level === 'none') return [];
    const own = fieldFilters(channel);
    if (this.#level === 'for equality') return own.filter(isEquality);
    return this.#level === 'by every operator' ? own : [...own, ...this.#reachedFrom(channel)];
  }

  #reachedFrom(channel: KnownChannel): FilterParameter[] {
    return targetsOf(channel).flatMap(([field, id]) => {
      const target = this.#channels.get(id);
      if (target === undefined) return [];
      return reachedFilters(target).map((each) => ({ ...each, name: `${field}.${each.name}` }));
    });
  }
}

function isEquality({ name }: FilterParameter): boolean {
  return !name.includes('.');
}

function sum(counts: readonly number[]): number {
  return counts.reduce((one, other) => one + other, 0);
}

/** The reference fields of a channel, each with the channel that it leads to. */
function targetsOf(channel: KnownChannel): [field: string, target: string][] {
  return compiledFields(channel).definitions.flatMap((each): [string, string][] =>
    each.channel === null ? [] : [[each.name, each.channel]],
  );
}

/** A name that no other component has, in whatever form a generator spells both. */
function componentName(name: string): string {
  return `filter.${name}`;
}

/**
 * A comma list is described as a text: not all generated clients join the items of an array by commas, and none of them
 * quotes an item that contains one.
 */
function describe({ name, value, isList }: FilterParameter): object {
  return { name, in: 'query', schema: isList ? commaList : value };
}
