// The names of channels and fields in the schema of a site (docs/contract.md §11.2). A name that is taken or reserved
// gets a `_` at its end; channels that were created first choose first.
import type { KnownChannel } from '../../../management/channels/describe.ts';

/** The suffixes of an entry's type in the names of the types that belong to it. */
const typeSuffixes = ['', 'Connection', 'Edge', 'Where', 'ReferenceWhere', 'Sort', 'Input', 'Patch'] as const;

/** The names of a channel. */
export interface ChannelNames {
  /** The type of its entries. */
  readonly type: string;
  /** The fields of queries for one entry, and for a list. */
  readonly one: string;
  readonly list: string;
}

/** The fields of queries that belong to no channel. */
const ownQueries = ['channel', 'channels'];

/**
 * Names channels, in the order of their creation.
 * @param taken the names of the schema's other types; those of the channels' types are added
 */
export function nameChannels(channels: readonly KnownChannel[], taken: Set<string>): Map<string, ChannelNames> {
  const queries = new Set(ownQueries);
  const namesById = new Map<string, ChannelNames>();
  for (const { id, typeName } of channels) {
    let type = typeName ?? legalName(capitalized(camelCase(id)));
    while (typeSuffixes.some((suffix) => taken.has(type + suffix))) type += '_';
    for (const suffix of typeSuffixes) taken.add(type + suffix);
    const plural = legalName(camelCase(id));
    const list = claimName(plural, queries);
    const singular = uncapitalized(type);
    const one = claimName(singular === plural ? `${plural}Entry` : singular, queries);
    namesById.set(id, { type, one, list });
  }
  return namesById;
}

/** Claims a name, with a `_` at its end for as long as it is taken. */
export function claimName(name: string, taken: Set<string>): string {
  let free = name;
  while (taken.has(free)) free += '_';
  taken.add(free);
  return free;
}

/** Describes a name that `claimName` changed; empty for an unchanged one. */
export function describeClaimed(name: string, requestedName: string): string {
  return name === requestedName ? '' : ` It has a \`_\` at its end, because \`${requestedName}\` is taken.`;
}

/** The words that join conditions. */
const joiningWords = ['and', 'or', 'not'];
/**
 * The members that every object of JavaScript inherits, such as `constructor`: graphql-js would find them in variables
 * that lack the field.
 */
const inheritedNames = Object.getOwnPropertyNames(Object.prototype);

/**
 * Names fields, in the order of their names in REST.
 * @param fixed the members that every entry has
 * @returns by the name in REST
 */
export function nameTypedFields(names: Iterable<string>, fixed: Iterable<string>): Map<string, string> {
  const taken = new Set([...fixed, ...joiningWords, ...inheritedNames]);
  return new Map(Array.from(names, (name) => [name, claimName(camelCase(name), taken)]));
}

/** Converts `release_year` to `releaseYear`. */
export function camelCase(name: string): string {
  return name.replace(/[_-]+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()).replace(/[_-]+$/, '');
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function uncapitalized(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** GraphQL does not allow a digit at the beginning of a name. */
function legalName(name: string): string {
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Whether options of a field can be the values of an enum. */
export function areEnumValues(options: readonly string[]): boolean {
  return options.every((option) => /^(?!__|true$|false$|null$)[_a-zA-Z][_a-zA-Z0-9]*$/.test(option));
}
