// A channel's row → what a caller may know of it (docs/contract.md §3.8).
import { channelRules, compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { mayReadSettings, type Caller } from '../rules/callers.ts';
import type { ChannelAcl } from '../rules/access.ts';

/** A channel as callers see it. A member that the caller may not read, or that is not set, is null. */
export interface PublicChannel {
  readonly id: string;
  readonly name: string;
  readonly publishable: boolean;
  readonly titleField: string;
  readonly fields: readonly FieldDefinition[];
  readonly description: string | null;
  readonly language: string | null;
  readonly acl: ChannelAcl | null;
}

/** A channel for a caller: its access list, description and language only for master and user tokens. */
export function presentChannel(channel: Channel, caller: Pick<Caller, 'kind'>): PublicChannel {
  const seesAll = mayReadSettings(caller);
  return {
    id: channel.id,
    name: channel.name,
    publishable: channel.publishable,
    titleField: channel.titleField,
    fields: compiledFields(channel).definitions,
    description: seesAll ? channel.description : null,
    language: seesAll ? channel.language : null,
    acl: seesAll ? channelRules(channel).acl : null,
  };
}
