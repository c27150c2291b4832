// The fields of GraphQL's Entry that lead to other entries: `reference` and `references` (docs/contract.md §7).
import type { Context } from '../../context.ts';
import type { EntryRow } from '../../entries/read.ts';
import { fail } from '../../errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { EntryReferenceArgs, EntryReferencesArgs } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { makeCursor, readCursor, type Place } from '../../inputs/cursor.ts';
import { readSize } from '../../inputs/page.ts';
import type { EntryPage } from '../../serializers/connection.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { targetsOf } from './loader.ts';

/** The entry that a field refers to. */
export const reference = (async (entry, args, context) => {
  const field = fieldNamed(entry, args.field, 'reference');
  const channel = await targetsOf(context).channelOf(field);
  if (channel === null) return null;
  const [row] = await seen(idsIn(entry, field), channel, { entry, whole: true }, context);
  return row ? presentTarget(row, channel, entry, context) : null;
}) satisfies Resolver<EntryReferenceArgs, PublicEntry | null>;

/** A page of the entries that a field refers to. */
export const references = (async (entry, args, context) => {
  const field = fieldNamed(entry, args.field, 'references');
  const size = readSize(args.first);
  const list = { site: context.site, of: 'references', entry: entry.id, field: field.name };
  const after = typeof args.after === 'string' ? readCursor(list, args.after, isPlace) : null;
  const channel = await targetsOf(context).channelOf(field);
  const ids = idsIn(entry, field);
  // What fits into a page is read at once; else the page is found first.
  const whole = after === null && ids.length <= size;
  const all = channel === null ? [] : await seen(ids, channel, { entry, whole }, context);
  const start = after === null ? 0 : startBehind(after, all);
  const page = all.slice(start, start + size);
  const pageIds = page.map(({ id }) => id);
  const rows = channel === null || whole ? page : await seen(pageIds, channel, { entry, whole: true }, context);
  return {
    edges: rows.flatMap((row, index) => {
      if (channel === null) return [];
      return [{ cursor: makeCursor(list, [start + index, row.id]), node: presentTarget(row, channel, entry, context) }];
    }),
    hasNextPage: all.length > start + size,
    hasPreviousPage: start > 0,
    number: null,
    size,
    count: () => Promise.resolve({ exactly: all.length }),
  };
}) satisfies Resolver<EntryReferencesArgs, EntryPage>;

type Resolver<Args, Result> = (entry: PublicEntry, args: Args, context: Context) => Promise<Result>;

/** @throws bad_request where the entry's channel has no field of the name and type */
function fieldNamed({ origin }: PublicEntry, name: string, type: FieldDefinition['type']): FieldDefinition {
  const field = compiledFields(origin.channel).references.get(name);
  return field?.type === type ? field : fail('bad_request', `field: the channel has no ${type} field of this name.`);
}

function idsIn({ origin }: PublicEntry, { name }: FieldDefinition): readonly string[] {
  return origin.targets.get(name) ?? [];
}

/** Those of some entries that whoever read `entry` may see, in the order of their ids. */
async function seen(
  ids: readonly string[],
  channel: Channel,
  { entry, whole }: { entry: PublicEntry; whole: boolean },
  context: Context,
): Promise<EntryRow[]> {
  const targets = targetsOf(context);
  const rows = await Promise.all(ids.map((id) => targets.load(channel, entry.origin.useAcl, { id, whole })));
  return rows.filter((row) => row !== null);
}

function presentTarget(row: EntryRow, channel: Channel, { origin }: PublicEntry, context: Context): PublicEntry {
  return presentEntry(row, channel, { caller: context.caller, baseUrl: context.baseUrl, useAcl: origin.useAcl });
}

/** A place in the list: how many visible entries come before it, and the id of the one there. */
function isPlace(place: Place): boolean {
  const [index, id] = place;
  return place.length === 2 && Number.isSafeInteger(index) && Number(index) >= 0 && typeof id === 'string';
}

/** Where the page behind a place begins: behind its entry, or where that was, if it is not seen any more. */
function startBehind([index, id]: Place, all: readonly EntryRow[]): number {
  const at = all.findIndex((row) => row.id === id);
  return at >= 0 ? at + 1 : Math.min(Number(index), all.length);
}
