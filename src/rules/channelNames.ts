// The names in REST of the settings of a channel that have two words (docs/contract.md §12.3). REST had the names of GraphQL for
// them first, and still takes and writes those.

/** By the name in GraphQL, which is the older name in REST: the name in REST. */
export const restChannelNames = { titleField: 'title_field', typeName: 'type_name' } as const;

type ChannelName = keyof typeof restChannelNames;

/** The members of a channel by the names of REST, each of these settings by both. */
export function withBothNames(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      isOlderName(name) ? [[restChannelNames[name], value] as const, [name, value] as const] : [[name, value] as const],
    ),
  );
}

function isOlderName(name: string): name is ChannelName {
  return Object.hasOwn(restChannelNames, name);
}
