// The channels that exist to the caller, and their fields (docs/contract.md §11), from which the OpenAPI document and
// the GraphQL schema of a site are made.
import { createHash } from 'node:crypto';
import { listBriefChannels, type BriefChannel } from '../../auth/directory.ts';
import type { Context, Using, Within } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { readDefinitions } from '../../fields/definition.ts';
import { definitionsJson } from '../../fields/definitionsJson.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { narrowFields } from '../../fields/narrowed.ts';
import { descriptionSubject, type RuleSubject } from '../../rules/fieldRules.ts';
import { anyToken, settableGroups, siteRightsOfCaller, type CallerKind, type SetBy } from '../../rules/callers.ts';
import type { SiteRight } from '../../rules/rights.ts';
import type { Scopes } from '../../rules/scopes.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';
import { loadAllDetails } from './list.ts';

/** A channel that exists to a caller, without the names of channels that do not. */
export interface KnownChannel extends Pick<Channel, 'id' | 'name' | 'typeName' | 'publishable' | 'fields'> {
  /** The groups of fixed members that the caller sets in its entries. */
  readonly settable: ReadonlySet<SetBy>;
}

export interface KnownChannels {
  readonly kind: CallerKind;
  /** The caller's rights on the site, on which depends what it may manage. */
  readonly rights: readonly SiteRight[];
  /** The scopes of the caller's token; null for none. */
  readonly scopes: Scopes | null;
  /** The groups of fixed members that it sets in the entries of every channel. */
  readonly settable: ReadonlySet<SetBy>;
  /** A text that is the same for callers of one kind, if they know the same channels, that set the same members in the same ones. */
  readonly settableKey: () => string;
  /** A digest of the channels and their versions: two callers of one kind with the same digest, and the same scopes, know the same. */
  readonly version: string;
  /**
   * Loads the fields, which can be large.
   * @param cached those that need not be loaded; loaded ones are added
   * @returns null if a channel has changed since the channels were listed, so that `version` does not stand for what would be loaded:
   *   `describeUnchanged` starts over
   * @throws answer_too_large
   */
  readonly load: (cached?: CachedFields) => Promise<readonly KnownChannel[] | null>;
}

/** A cache of the fields of channels, by the channel and its version. */
export interface CachedFields {
  readonly get: (key: string) => SizedFields | undefined;
  readonly set: (key: string, channel: SizedFields) => unknown;
}

/** The fields of a channel, and their size in bytes of JSON. */
export interface SizedFields extends Pick<Channel, 'fields'> {
  readonly bytes: number;
}

export const describeChannels: EntryRead<
  {
    args: object;
    input: null;
    loaded: readonly BriefChannel[];
    done: readonly BriefChannel[];
    result: KnownChannels;
  },
  Context
> = {
  name: 'describeChannels',
  callers: anyToken,
  scope: 'nothing',

  parse: () => null,

  load: (_input, { services: { db }, site }) => listBriefChannels(db, site),

  authorize: 'byPredicate',

  run: (channels) => Promise.resolve(channels),

  present: (channels, _loaded, _input, context) => presentKnown(channels, context),
};

/** Stands for a channel that no right names: what a caller may do there it may do in each. */
const noChannel = { uid: '' };

/**
 * Selects the channels of a site that exist to the caller.
 * @param channels all of the site, in the order of their creation
 */
export function presentKnown(
  channels: readonly BriefChannel[],
  context: Pick<Context, 'site' | 'caller'> & Using<'db'> & Within<'budget'>,
): KnownChannels {
  const visible = channels.filter((channel) => isKnown(channel, context.caller));
  const subject = descriptionSubject(context.caller);
  const settableIn = ({ uid }: Pick<BriefChannel, 'uid'>): ReadonlySet<SetBy> => settableGroups(context.caller, uid);
  return {
    kind: context.caller.kind,
    rights: siteRightsOfCaller(context.caller),
    scopes: context.caller.scopes,
    settable: settableIn(noChannel),
    settableKey: () => {
      if (context.caller.member === undefined) return '';
      if (settableIn(noChannel).has('access')) return 'all';
      return visible.flatMap((channel) => (settableIn(channel).has('access') ? [channel.uid] : [])).join(' ');
    },
    version: digestVersions(visible, channels, subject),
    load: async (cached) => {
      const details = await loadFields(visible, context, cached);
      if (details === null) return null;
      const ids = new Set(visible.map(({ id }) => id));
      return visible.map((channel) => {
        const { id, name, typeName, publishable, uid } = channel;
        const fields = narrowFields(hideUnknownTargets(details.get(uid)?.fields, ids), [subject]);
        return { id, name, typeName, publishable, fields, settable: settableIn(channel) };
      });
    },
  };
}

/** Number of attempts to describe channels while they change. */
const maxAttempts = 3;

/**
 * Makes a description of the channels that exist to a caller, again with what there is then as long as they change meanwhile.
 * @param known those that were listed
 * @param describe returns null where they have changed
 * @throws unavailable if they keep changing
 */
export async function describeUnchanged<Description>(
  known: KnownChannels,
  context: Parameters<typeof presentKnown>[1],
  describe: (known: KnownChannels) => Promise<Description | null>,
): Promise<Description> {
  let current = known;
  for (let attempt = 1; ; attempt += 1) {
    const description = await describe(current);
    if (description !== null) return description;
    if (attempt === maxAttempts) break;
    current = presentKnown(await listBriefChannels(context.services.db, context.site), context);
  }
  fail('unavailable', 'The channels change while they are described. Ask again in a moment.');
}

/**
 * Loads the fields of channels that are not cached. Cached ones count against the request's budget, too, because it
 * processes all of them.
 * @returns the fields of all channels, by uid; null if the version of one is another than was listed
 */
async function loadFields(
  channels: readonly BriefChannel[],
  context: Pick<Context, 'site'> & Using<'db'> & Within<'budget'>,
  cached: CachedFields | undefined,
): Promise<ReadonlyMap<string, Pick<Channel, 'fields'>> | null> {
  const key = ({ siteId, uid, version }: BriefChannel): string => `${siteId} ${uid} ${version}`;
  const fieldsByUid = new Map<string, Pick<Channel, 'fields'>>();
  let bytes = 0;
  for (const channel of channels) {
    const fields = cached?.get(key(channel));
    if (!fields) continue;
    fieldsByUid.set(channel.uid, fields);
    bytes += fields.bytes;
  }
  if (bytes > 0) await context.admission.budget.takeRows(bytes);
  const missing = channels.filter(({ uid }) => !fieldsByUid.has(uid));
  const loaded = missing.length > 0 ? await loadAllDetails(missing, context) : new Map<string, never>();
  for (const channel of missing) {
    const details = loaded.get(channel.uid);
    if (details?.version !== channel.version) return null;
    const { fields } = details;
    fieldsByUid.set(channel.uid, { fields });
    cached?.set(key(channel), { fields, bytes: Buffer.byteLength(JSON.stringify(fields)) });
  }
  return fieldsByUid;
}

/** The digests of whole lists of channels: most callers know all channels, and the directory caches the lists. */
const digests = new WeakMap<readonly BriefChannel[], string>();

function digestVersions(visible: readonly BriefChannel[], all: readonly BriefChannel[], subject: RuleSubject): string {
  const isWhole = visible.length === all.length && !all.some(hasFieldRules);
  const cachedDigest = isWhole ? digests.get(all) : undefined;
  if (cachedDigest !== undefined) return cachedDigest;
  const lines = visible.map((channel) => `${channel.uid} ${channel.version}${matchedKeys(channel, subject)}\n`);
  const text = createHash('sha256').update(lines.join('')).digest('base64url');
  if (isWhole) digests.set(all, text);
  return text;
}

/** The rules of a channel's fields. */
function rulesOf({ fieldRules }: BriefChannel): readonly (readonly string[])[] {
  return fieldRules as unknown as readonly (readonly string[])[];
}

function hasFieldRules(channel: BriefChannel): boolean {
  return rulesOf(channel).length > 0;
}

/** The keys in the rules of a channel's fields that match a caller: callers with the same ones know the same fields. */
function matchedKeys(channel: BriefChannel, subject: RuleSubject): string {
  const rules = rulesOf(channel);
  if (rules.length === 0) return '';
  if (subject === null) return ' all';
  const matched = new Set(rules.flat().filter((key) => subject.keys.has(key)));
  return ` ${JSON.stringify([subject.mayOwn, ...[...matched].sort()])}`;
}

/** Removes from a channel's fields the names of channels that do not exist to the caller. */
function hideUnknownTargets(fields: Channel['fields'] = [], visibleIds: ReadonlySet<string>): Channel['fields'] {
  const definitions = readDefinitions(fields).map((each) =>
    each.channel === null || visibleIds.has(each.channel) ? each : { ...each, channel: null },
  );
  return definitionsJson(definitions);
}
