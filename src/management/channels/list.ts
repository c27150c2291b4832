// Lists the channels of a site in the order of their creation: uids are UUIDs of version 7, which sort by time.
import { listBriefChannels, type BriefChannel } from '../../auth/directory.ts';
import type { Context, Using, Within } from '../../resolvers/context.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentChannel, type DetailColumns, type PublicChannel } from '../../serializers/channel.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';

export const listChannels: EntryRead<
  {
    args: object;
    input: null;
    loaded: readonly BriefChannel[];
    done: readonly BriefChannel[];
    result: PublicChannel[];
  },
  Context
> = {
  name: 'listChannels',
  callers: anyToken,
  scope: 'nothing',

  parse: () => null,

  load: (_input, { services: { db }, site }) => listBriefChannels(db, site),

  authorize: 'byPredicate',

  run: (rows, _input, { caller }) => Promise.resolve(rows.filter((row) => isKnown(row, caller))),

  present: (channels, _loaded, _input, context) => {
    let loading: Promise<ReadonlyMap<string, DetailColumns>> | undefined;
    const loadDetails = async (uid: string): Promise<DetailColumns> => {
      const loaded = await (loading ??= loadAllDetails(channels, context));
      return loaded.get(uid) ?? { fields: [], description: null, layout: null };
    };
    return channels.map((row) => presentChannel(row, context, () => loadDetails(row.uid)));
  },
};

/** Loads the details of channels of the site, by uid. @throws answer_too_large */
export async function loadAllDetails(
  channels: readonly BriefChannel[],
  { services: { db }, site, admission: { budget } }: Pick<Context, 'site'> & Using<'db'> & Within<'budget'>,
): Promise<ReadonlyMap<string, DetailColumns & Pick<BriefChannel, 'version'>>> {
  const uids = channels.map(({ uid }) => uid);
  const [sum] = await db.$queryRaw<{ bytes: number | null }[]>`
    SELECT sum(octet_length(c.fields::text) + coalesce(octet_length(c.description), 0)
      + coalesce(octet_length(c.layout::text), 0))::float8 AS bytes
    FROM channels c WHERE c.site_id = ${site} AND c.uid = ANY (${uids}::uuid[])`;
  await budget.takeRows(sum?.bytes ?? 0);
  const rows = await db.channel.findMany({
    where: { siteId: site, uid: { in: uids } },
    select: { uid: true, version: true, fields: true, description: true, layout: true },
  });
  return new Map(rows.map(({ uid, ...details }) => [uid, details]));
}
