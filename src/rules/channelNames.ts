// REST's names of channel settings that consist of two words (docs/contract.md §12.3). REST first had GraphQL's names
// for them, and still returns and accepts those.

/** The name in REST by the name in GraphQL, which REST also accepts. */
export const restChannelNames = { titleField: 'title_field', typeName: 'type_name' } as const;

type ChannelName = keyof typeof restChannelNames;

/** Adds to a channel's members, which have the names of GraphQL, those of REST. */
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
