// Gives what the description of the REST interface says of a site's channels: those that exist to the caller, and their fields
// (docs/contract.md §11).
import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { anyToken, type CallerKind } from '../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';
import { isKnown } from './known.ts';
import { findChannels, loadAllDetails, type BriefChannel } from './list.ts';

/** A channel that exists to a caller, without the names of channels that do not. */
export type KnownChannel = Pick<Channel, 'id' | 'name' | 'fields'>;

export interface KnownChannels {
  readonly kind: CallerKind;
  /** A digest of the channels and their versions: two callers of one kind with the same digest know the same. */
  readonly version: string;
  /** Loads the fields, which can be large. @throws answer_too_large */
  readonly load: () => Promise<readonly KnownChannel[]>;
}

export const describeChannels: Operation<object, null, null, readonly BriefChannel[], KnownChannels, Context> = {
  name: 'describeChannels',
  callers: anyToken,

  parse: () => null,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: (_loaded, _input, context) => findChannels(context),

  present: (rows, _loaded, _input, context) => {
    const known = rows.filter((row) => isKnown(row, context.caller));
    const digest = createHash('sha256');
    for (const { uid, version } of known) digest.update(`${uid} ${version}\n`);
    return {
      kind: context.caller.kind,
      version: digest.digest('base64url'),
      load: async () => {
        const details = await loadAllDetails(known, context);
        const ids = new Set(known.map(({ id }) => id));
        return known.map(({ id, name, uid }) => ({ id, name, fields: hideTargets(details.get(uid)?.fields, ids) }));
      },
    };
  },
};

/** The fields of a channel, without the names of channels that do not exist to the caller. */
function hideTargets(fields: Channel['fields'] = [], known: ReadonlySet<string>): Channel['fields'] {
  const definitions = fields as unknown as readonly FieldDefinition[];
  const shown = definitions.map((each) =>
    each.channel === null || known.has(each.channel) ? each : { ...each, channel: null },
  );
  return shown as unknown as Channel['fields'];
}
