// Presents a channel's row: only the members that a caller may know (docs/contract.md §3.8).
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import { channelRules, compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { mayKnowChannel, type ChannelAcl } from '../rules/access.ts';
import { mayReadSettings, type Caller } from '../rules/callers.ts';
import { withBothNames } from '../rules/channelNames.ts';

/** A channel as callers see it. A member is null if it is not set, or if the caller may not read it. */
export interface PublicChannel {
  readonly id: string;
  readonly name: string;
  readonly publishable: boolean;
  readonly titleField: string;
  /** Large members, which a list of channels loads only on request. */
  readonly details: () => Promise<ChannelDetails>;
  readonly language: string | null;
  readonly typeName: string | null;
  readonly acl: ChannelAcl | null;
}

export interface ChannelDetails {
  readonly fields: readonly FieldDefinition[];
  readonly description: string | null;
  /** The layout of a form of its entries. */
  readonly layout: Readonly<Record<string, unknown>> | null;
}

/** The columns of the details. */
export type DetailColumns = Pick<Channel, 'fields' | 'description' | 'layout'>;

/** The reader of a channel, and the look-up that decides which other channels they may know of. */
export interface ChannelReader {
  readonly site: string;
  readonly caller: Caller;
  readonly services: {
    readonly directory: { channel(site: string, id: string): PromiseOrValue<Channel | null> };
  };
}

/** Writes a channel in REST's JSON (docs/contract.md §12.3). Members that the caller may not read are left out. */
export async function restChannel(channel: PublicChannel): Promise<string> {
  const { id, name, publishable, acl, titleField, language, typeName } = channel;
  const { fields, description, layout } = await channel.details();
  const members =
    acl === null
      ? { id, name, publishable, titleField, fields }
      : { id, name, description, publishable, acl, titleField, language, typeName, layout, fields };
  return JSON.stringify(withBothNames(members));
}

/** Presents a channel whose row is loaded whole. */
export function presentWholeChannel(channel: Channel, reader: ChannelReader): PublicChannel {
  return presentChannel(channel, reader, () => Promise.resolve(channel));
}

/** Presents a channel to a caller; its access list and the like only to callers who may read settings. */
export function presentChannel(
  channel: Omit<Channel, keyof DetailColumns>,
  reader: ChannelReader,
  loadDetails: () => Promise<DetailColumns>,
): PublicChannel {
  const seesAll = mayReadSettings(reader.caller);
  return {
    id: channel.id,
    name: channel.name,
    publishable: channel.publishable,
    titleField: channel.titleField,
    details: async () => {
      const loaded = await loadDetails();
      const fields = await hideTargets(compiledFields(loaded).definitions, reader);
      const settings = seesAll ? loaded : { description: null, layout: null };
      return { fields, description: settings.description, layout: settings.layout as ChannelDetails['layout'] };
    },
    language: seesAll ? channel.language : null,
    typeName: seesAll ? channel.typeName : null,
    acl: seesAll ? channelRules(channel).acl : null,
  };
}

/** Removes from a channel's fields the names of channels that do not exist to the reader. */
async function hideTargets(
  fields: readonly FieldDefinition[],
  { site, caller, services: { directory } }: ChannelReader,
): Promise<readonly FieldDefinition[]> {
  if (mayReadSettings(caller)) return fields;
  const hidden = new Set<string>();
  for (const { channel: id } of fields) {
    if (id === null) continue;
    const target = await directory.channel(site, id);
    if (target === null || !mayKnowChannel(caller, channelRules(target).acl)) hidden.add(id);
  }
  if (hidden.size === 0) return fields;
  return fields.map((each) => (each.channel !== null && hidden.has(each.channel) ? { ...each, channel: null } : each));
}
