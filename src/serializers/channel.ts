// Presents a channel's row: only the members that a caller may know (docs/contract.md §3.8).
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import { channelRules } from '../fields/compiled.ts';
import { readDefinitions, type FieldDefinition } from '../fields/definition.ts';
import { hasRules, knownFields, narrowFields, ruleSubjects, wholeFields } from '../fields/narrowed.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { mayKnowChannel, type ChannelAcl } from '../rules/access.ts';
import { mayReadSettings, siteRightsOfCaller, type Caller, type Viewer } from '../rules/callers.ts';
import { descriptionSubject, hasRule } from '../rules/fieldRules.ts';
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

/** A field as callers see it. The members are absent for a field without rules; the rules themselves also for public tokens. */
export interface ShownField extends FieldDefinition {
  readonly readable?: boolean;
  /** Whether the caller may write it in some entry. */
  readonly writable?: boolean;
}

export interface ChannelDetails {
  readonly fields: readonly ShownField[];
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
  /** In a preview its caller, who has to know of a field as well; null or absent outside of previews. */
  readonly viewer?: Pick<Viewer, 'within'>;
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
      const fields = await hideTargets(showFields(loaded.fields, reader), reader);
      const settings = seesAll ? loaded : { description: null, layout: null };
      return { fields, description: settings.description, layout: settings.layout as ChannelDetails['layout'] };
    },
    language: seesAll ? channel.language : null,
    typeName: seesAll ? channel.typeName : null,
    acl: seesAll ? channelRules(channel).acl : null,
  };
}

/**
 * Lists the fields of a channel that a reader may know of, with its access to the ones that have a rule. A reader who manages
 * channels knows of all, so that sending a channel back takes no field away.
 */
function showFields(fields: Channel['fields'], { caller, viewer }: ChannelReader): readonly ShownField[] {
  const whole = wholeFields(fields);
  const definitions = readDefinitions(whole);
  if (!hasRules(whole)) return definitions;
  const within = viewer?.within ?? null;
  const subjects = [descriptionSubject(caller), ...(within === null ? [] : ruleSubjects(within))];
  const known = new Map(knownFields(narrowFields(whole, subjects)).map((field) => [field.definition.name, field]));
  const managesChannels = within === null && siteRightsOfCaller(caller).includes('channels');
  const told = managesChannels ? definitions : definitions.filter(({ name }) => known.has(name));
  return told.map((definition) => {
    if (!hasRule(definition)) return definition;
    const { isReadable = false, writable = 'none' } = known.get(definition.name) ?? {};
    const { read, write, ...others } = definition;
    const rules = mayReadSettings(caller) ? { read: read ?? null, write: write ?? null } : {};
    return { ...others, ...rules, readable: isReadable, writable: writable !== 'none' } as ShownField;
  });
}

/** Removes from a channel's fields the names of channels that do not exist to the reader. */
async function hideTargets(
  fields: readonly ShownField[],
  { site, caller, services: { directory } }: ChannelReader,
): Promise<readonly ShownField[]> {
  if (mayReadSettings(caller) && caller.scopes === null) return fields;
  const hidden = new Set<string>();
  for (const { channel: id } of fields) {
    if (id === null) continue;
    const target = await directory.channel(site, id);
    if (target === null || !mayKnowChannel(caller, channelRules(target))) hidden.add(id);
  }
  if (hidden.size === 0) return fields;
  return fields.map((each) => (each.channel !== null && hidden.has(each.channel) ? { ...each, channel: null } : each));
}
