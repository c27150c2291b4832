// Lists the channels of a site in the order of their creation: uids are UUIDs of version 7, which sort by time.
import type { Context } from '../../context.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentChannel, type PublicChannel } from '../../serializers/channel.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';

export const listChannels: Operation<object, null, null, readonly Channel[], PublicChannel[], Context> = {
  callers: anyToken,

  parse: () => null,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: (_loaded, _input, { db, site: siteId }) => db.channel.findMany({ where: { siteId }, orderBy: { uid: 'asc' } }),

  present: (rows, _loaded, _input, { caller }) => rows.map((row) => presentChannel(row, caller)),
};
