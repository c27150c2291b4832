// Gives what descriptions of a site's interfaces say of its channels: those that exist to the caller, and their fields
// (docs/contract.md §11). The OpenAPI document and the schema of the site are made of it.
import { createHash } from 'node:crypto';
import { listBriefChannels, type BriefChannel } from '../../auth/directory.ts';
import type { Context, Using, Within } from '../../resolvers/context.ts';
import { readDefinitions } from '../../fields/definition.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { anyToken, type CallerKind } from '../../rules/callers.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';
import { loadAllDetails } from './list.ts';

/** A channel that exists to a caller, without the names of channels that do not. */
export type KnownChannel = Pick<Channel, 'id' | 'name' | 'typeName' | 'fields'>;

export interface KnownChannels {
  readonly kind: CallerKind;
  /** A digest of the channels and their versions: two callers of one kind with the same digest know the same. */
  readonly version: string;
  /**
   * Loads the fields, which can be large.
   * @param kept those that need not be loaded; what is loaded is added
   * @throws answer_too_large
   */
  readonly load: (kept?: KeptFields) => Promise<readonly KnownChannel[]>;
}

/** The fields of channels, by the channel and its version. */
export interface KeptFields {
  readonly get: (key: string) => SizedFields | undefined;
  readonly set: (key: string, channel: SizedFields) => unknown;
}

/** The fields of a channel, and how many bytes of JSON they are. */
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

  parse: () => null,

  load: (_input, { services: { db }, site }) => listBriefChannels(db, site),

  authorize: 'byPredicate',

  run: (channels) => Promise.resolve(channels),

  present: (channels, _loaded, _input, context) => presentKnown(channels, context),
};

/**
 * Those channels of a site that exist to the caller.
 * @param channels all of the site, in the order of their creation
 */
export function presentKnown(
  channels: readonly BriefChannel[],
  context: Pick<Context, 'site' | 'caller'> & Using<'db'> & Within<'budget'>,
): KnownChannels {
  const known = channels.filter((channel) => isKnown(channel, context.caller));
  return {
    kind: context.caller.kind,
    version: digestVersions(known, channels),
    load: async (kept) => {
      const details = await loadFields(known, context, kept);
      const ids = new Set(known.map(({ id }) => id));
      return known.map(({ id, name, typeName, uid }) => {
        return { id, name, typeName, fields: hideUnknownTargets(details.get(uid)?.fields, ids) };
      });
    },
  };
}

/**
 * Loads the fields of channels that are not kept. Those that are count against the request all the same, which goes on to make
 * something of all of them.
 * @returns those of all of them, by uid
 */
async function loadFields(
  channels: readonly BriefChannel[],
  context: Pick<Context, 'site'> & Using<'db'> & Within<'budget'>,
  kept: KeptFields | undefined,
): Promise<ReadonlyMap<string, Pick<Channel, 'fields'>>> {
  if (!kept) return loadAllDetails(channels, context);
  const key = ({ siteId, uid, version }: BriefChannel): string => `${siteId} ${uid} ${version}`;
  const found = new Map<string, Pick<Channel, 'fields'>>();
  let bytes = 0;
  for (const channel of channels) {
    const fields = kept.get(key(channel));
    if (!fields) continue;
    found.set(channel.uid, fields);
    bytes += fields.bytes;
  }
  await context.admission.budget.takeRows(bytes);
  const missing = channels.filter(({ uid }) => !found.has(uid));
  const loaded = missing.length > 0 ? await loadAllDetails(missing, context) : new Map<string, never>();
  for (const channel of missing) {
    const details = loaded.get(channel.uid);
    if (!details) continue;
    const { fields, version } = details;
    found.set(channel.uid, { fields });
    // It may have changed since the list of channels was read.
    if (version === channel.version) {
      kept.set(key(channel), { fields, bytes: Buffer.byteLength(JSON.stringify(fields)) });
    }
  }
  return found;
}

/** The digests of all channels of a list: most callers know all of them, and the directory keeps the list. */
const digests = new WeakMap<readonly BriefChannel[], string>();

function digestVersions(known: readonly BriefChannel[], all: readonly BriefChannel[]): string {
  const isWhole = known.length === all.length;
  const found = isWhole ? digests.get(all) : undefined;
  if (found !== undefined) return found;
  const digest = createHash('sha256').update(known.map(({ uid, version }) => `${uid} ${version}\n`).join(''));
  const text = digest.digest('base64url');
  if (isWhole) digests.set(all, text);
  return text;
}

/** The fields of a channel, without the names of channels that do not exist to the caller. */
function hideUnknownTargets(fields: Channel['fields'] = [], known: ReadonlySet<string>): Channel['fields'] {
  const shown = readDefinitions(fields).map((each) =>
    each.channel === null || known.has(each.channel) ? each : { ...each, channel: null },
  );
  return shown as unknown as Channel['fields'];
}
