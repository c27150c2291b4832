// Presents a channel's row: what a caller may know of it (docs/contract.md §3.8).
import { channelRules, compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelAcl } from '../rules/access.ts';
import { mayReadSettings, type Caller } from '../rules/callers.ts';

/** A channel as callers see it. A member is null if it is not set, or if the caller may not read it. */
export interface PublicChannel {
  readonly id: string;
  readonly name: string;
  readonly publishable: boolean;
  readonly titleField: string;
  /** What can be large: a list of channels loads it only if it is asked for. */
  readonly details: () => Promise<ChannelDetails>;
  readonly language: string | null;
  readonly acl: ChannelAcl | null;
}

export interface ChannelDetails {
  readonly fields: readonly FieldDefinition[];
  readonly description: string | null;
}

/** The columns of the details. */
export type DetailColumns = Pick<Channel, 'fields' | 'description'>;

/** Presents a channel whose row is loaded whole. */
export function presentWholeChannel(channel: Channel, caller: Pick<Caller, 'kind'>): PublicChannel {
  return presentChannel(channel, caller, () => Promise.resolve(channel));
}

/** Presents a channel to a caller; its access list, description and language only to those who may read settings. */
export function presentChannel(
  channel: Omit<Channel, keyof DetailColumns>,
  caller: Pick<Caller, 'kind'>,
  loadDetails: () => Promise<DetailColumns>,
): PublicChannel {
  const seesAll = mayReadSettings(caller);
  return {
    id: channel.id,
    name: channel.name,
    publishable: channel.publishable,
    titleField: channel.titleField,
    details: async () => {
      const loaded = await loadDetails();
      return { fields: compiledFields(loaded).definitions, description: seesAll ? loaded.description : null };
    },
    language: seesAll ? channel.language : null,
    acl: seesAll ? channelRules(channel).acl : null,
  };
}
