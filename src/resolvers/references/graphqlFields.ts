// Resolves the fields `reference` and `references` of GraphQL's Entry, which lead to other entries
// (docs/contract.md §7). They use the loader of the operation that presented the entry, so that they show what its
// viewer may see.
import { z } from 'zod';
import type { EntryRow } from '../../entries/row.ts';
import type { Budget } from '../../admission/budget.ts';
import type { Context } from '../context.ts';
import { fail } from '../../base/errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { EntryReferenceArgs, EntryReferencesArgs } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../../inputs/lists/cursor.ts';
import { readSize } from '../../inputs/lists/list.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { previewIdentity } from '../../rules/callers.ts';
import { Edge, type EntryPage } from '../../serializers/connection.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';

/**
 * The entry that a field refers to; null if there is none that the reader may see.
 * @throws bad_request for an unknown field
 */
export async function reference(
  entry: PublicEntry,
  args: EntryReferenceArgs,
  { admission: { budget } }: Pick<Context, 'admission'>,
): Promise<PublicEntry | null> {
  const { reader } = entry.origin;
  const field = findField(entry, args.field, 'reference');
  const channel = await reader.references.findTarget(field);
  if (channel === null) return null;
  const [row] = await loadOnce(entry, field, channel, true, budget);
  return row ? presentEntry(row, channel, reader) : null;
}

/** A page of the entries that a field refers to and the reader may see. @throws bad_request for an unknown field or cursor */
export async function references(
  entry: PublicEntry,
  args: EntryReferencesArgs,
  { admission: { budget } }: Pick<Context, 'admission'>,
): Promise<EntryPage> {
  const { reader, channel: own } = entry.origin;
  const field = findField(entry, args.field, 'references');
  const size = readSize(args.first);
  const list = { site: own.siteId, of: 'references', entry: entry.id, field: field.name, ...previewIdentity(reader) };
  const after = typeof args.after === 'string' ? readCursor(list, args.after, fieldPlace) : null;
  const channel = await reader.references.findTarget(field);
  if (channel === null) return makePage([], { size, start: 0, total: 0 });
  const ids = readIds(entry, field);
  // If all entries fit into the first page, they are read whole at once; otherwise only the page's entries are.
  const whole = after === null && ids.length <= size;
  const all = await loadOnce(entry, field, channel, whole, budget);
  const start = after === null ? 0 : findPlace(after, all);
  const shown = all.slice(start, start + size);
  const shownIds = shown.map(({ id }) => id);
  const rows = whole ? shown : await reader.references.load(channel, { ids: shownIds, whole: true });
  const edges = rows.map(
    (row, index) => new Edge(presentEntry(row, channel, reader), () => makeCursor(list, [start + index, row.id])),
  );
  return makePage(edges, { size, start, total: all.length });
}

function makePage(
  edges: EntryPage['edges'],
  { size, start, total }: { size: number; start: number; total: number },
): EntryPage {
  return {
    edges,
    hasNextPage: total > start + size,
    hasPreviousPage: start > 0,
    number: null,
    size,
    count: () => Promise.resolve({ exactly: total }),
  };
}

/** Finds a reference field by its name. @throws bad_request if the entry's channel has no field of the name and type */
function findField({ origin }: PublicEntry, name: string, type: FieldDefinition['type']): FieldDefinition {
  const fields = compiledFields(origin.channel).references;
  const field = fields.get(name);
  if (field?.type === type) return field;
  const known = [...fields.values()].filter((each) => each.type === type).map((each) => each.name);
  const hint = didYouMean(nearestName(name, known));
  fail('bad_request', `field: ${JSON.stringify(name)} is not a ${type} field of the channel${hint}`);
}

function readIds({ origin }: PublicEntry, { name }: FieldDefinition): readonly string[] {
  return origin.targets.get(name) ?? [];
}

/** The loaded entries of each reference field of an entry: aliases of the same field share them. */
const loaded = new WeakMap<PublicEntry['origin'], Map<string, Promise<readonly EntryRow[]>>>();

/**
 * Loads all entries that a field refers to and the reader may see, once for each entry that has the field.
 * @param whole whether the entries are read whole, or only their names
 * @throws too_complex if the request follows too many references
 */
function loadOnce(
  entry: PublicEntry,
  field: FieldDefinition,
  channel: Channel,
  whole: boolean,
  budget: Budget,
): Promise<readonly EntryRow[]> {
  const known = loaded.get(entry.origin) ?? new Map<string, Promise<readonly EntryRow[]>>();
  loaded.set(entry.origin, known);
  const key = `${whole} ${field.name}`;
  const found = known.get(key);
  if (found) return found;
  const ids = readIds(entry, field);
  budget.takeReferences(ids.length);
  const rows = entry.origin.reader.references.load(channel, { ids, whole });
  known.set(key, rows);
  return rows;
}

/** A position in such a list: the number of visible entries before it, and the id of the entry. */
const fieldPlace = z.tuple([z.int().min(0), z.string()]);
type ReferencePlace = z.output<typeof fieldPlace>;

/**
 * The index at which the page after a position begins: after its entry or, if that is not visible any more, where it
 * was.
 */
function findPlace([index, id]: ReferencePlace, all: readonly EntryRow[]): number {
  const at = all.findIndex((row) => row.id === id);
  return at >= 0 ? at + 1 : Math.min(index, all.length);
}
