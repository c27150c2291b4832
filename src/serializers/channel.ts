// A channel's row → what a caller may know of it (docs/contract.md §3, last lines).
import { compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { channelRules } from '../fields/channelRules.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelAcl } from '../rules/access.ts';

/** A channel as callers see it. What is null is not the caller's to read, or not set. */
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
export function presentChannel(channel: Channel, { kind }: { kind: 'master' | 'public' | 'user' }): PublicChannel {
  const manages = kind !== 'public';
  return {
    id: channel.id,
    name: channel.name,
    publishable: channel.publishable,
    titleField: channel.titleField,
    fields: compiledFields(channel).definitions,
    description: manages ? channel.description : null,
    language: manages ? channel.language : null,
    acl: manages ? channelRules(channel).acl : null,
  };
}
