// Holds the service against the model after each step: the SQL filter and the pure rules.
import { expect } from '@jest/globals';
import { visibleEntries } from '../../../src/entries/sql/predicate.ts';
import { Prisma, type Channel as ChannelRow } from '../../../src/generated/prisma/client.ts';
import * as access from '../../../src/rules/access.ts';
import { makeViewer } from '../../../src/rules/callers.ts';
import { maySee as rulesMaySee } from '../../../src/rules/access.ts';
import { maySee, mayCreate, rightTo, type Note } from './model.ts';
import { isMember, type World, type WorldCaller, type WorldChannel, type WorldEntry } from './world.ts';

/** What the model lets a caller do with an entry. */
export interface Expected {
  readonly sees: boolean;
  readonly update: 'may' | 403 | 404;
  readonly delete: 'may' | 403 | 404;
}

export function expectedOf(world: World, caller: WorldCaller, entry: WorldEntry, note: Note): Expected {
  const { channel, state } = entry;
  const asker = world.asker(caller);
  const now = Date.now();
  return {
    sees: maySee(channel.rules, state, asker, now, note),
    update: rightTo('update', channel.rules, state, asker, now, note),
    delete: rightTo('delete', channel.rules, state, asker, now, note),
  };
}

/** The pure rules and the SQL filter say of every caller and entry what the model says. */
export async function checkRules(world: World, note: Note): Promise<void> {
  const filters: Prisma.Sql[] = [];
  const expected: string[] = [];
  const rules: unknown[] = [];
  const model: unknown[] = [];
  for (const [index, caller] of world.callers.entries()) {
    const { kind, customer } = world.asker(caller);
    const member = isMember(caller) ? { user: caller.site.userId, roles: caller.site.roles } : undefined;
    const viewer = makeViewer({ kind, customer, member, scopes: null }, caller.useAcl, new Date());
    for (const channel of caller.site.channels) {
      const { uid, scopes: acl, publishable } = channel.rules;
      const ruled = { uid, acl, publishable };
      filters.push(Prisma.sql`(SELECT ${index}::int AS caller, e.id::text AS entry FROM entries e
        WHERE ${visibleEntries(rowOf(caller, channel), viewer)} LIMIT 100)`);
      const place = `${caller.name} in ${channel.id}`;
      rules.push([place, access.mayCreateIn(viewer.subject, ruled)]);
      model.push([place, mayCreate(channel.rules, world.asker(caller), note)]);
      for (const entry of world.entriesOf(caller.site, channel)) {
        const { sees, ...rights } = expectedOf(world, caller, entry, note);
        const guarded = {
          ...entry.state,
          publishAt: entry.state.publishAt === null ? null : new Date(entry.state.publishAt),
        };
        rules.push({
          sees: rulesMaySee(viewer, ruled, guarded),
          update: access.mayWriteIn(viewer.subject, 'update', ruled, guarded),
          delete: access.mayWriteIn(viewer.subject, 'delete', ruled, guarded),
        });
        model.push({ sees, update: rights.update === 'may', delete: rights.delete === 'may' });
        if (sees) expected.push(`${caller.name} sees ${entry.id}`);
      }
    }
  }
  expect(rules).toEqual(model);
  const rows = await world.db.$queryRaw<{ caller: number; entry: string }[]>`${Prisma.join(filters, ' UNION ALL ')}`;
  const found = rows.map(({ caller, entry }) => `${world.callers[caller]?.name} sees ${entry}`);
  expect(found.sort()).toEqual(expected.sort());
}

/** The row that the filter needs of a channel, from what the model holds. */
function rowOf({ site }: WorldCaller, { rules: { uid, scopes, publishable } }: WorldChannel): ChannelRow {
  return { siteId: site.id, uid, readScope: scopes.read, publishable } as ChannelRow;
}
