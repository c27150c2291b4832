// Embeds referenced entries when entries are read. It proceeds level by level, so that each level takes one statement
// per target channel, however many entries there are.
import type { Budget } from '../../admission/budget.ts';
import type { PromiseOrValue } from '../../base/promiseOrValue.ts';
import type { EntryRow } from '../../entries/row.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { stubsOnly, type Include } from '../../inputs/selection.ts';
import { presentEntry, presentStub, restEntry, type PublicEntry, type Reader } from '../../serializers/entry.ts';
import { ParsedFields } from '../../serializers/shownFields.ts';

/** The number of entries that a response may embed; further references appear as stubs. */
const maxEmbedded = 1_000;

/** The approximate size of a stub besides its title, in bytes. */
const stubBytes = 150;

/** An entry as its reader sees it, and its references, which are being followed. */
interface Node {
  readonly entry: PublicEntry;
  readonly include: Include;
  readonly links: PendingReference[];
}

/** One reference of a node, and the entry that it leads to, once that is loaded. */
interface PendingReference {
  readonly field: string;
  readonly id: string;
  readonly channel: Channel;
  /** The reference fields to embed in the target; null if the target appears as a stub. */
  readonly include: Include | null;
  readonly reader: Reader;
  /** null until it is loaded, and if the reader may not see it. */
  row: EntryRow | null;
  /** The target as a node; null if a stub stands for it. */
  embedded: Node | null;
}

/** As many entries, in the same order. */
type Followed<Entries extends readonly PublicEntry[]> = { [Index in keyof Entries]: PublicEntry };

/**
 * Fills in the reference fields of entries: with the whole entry for included fields, with a stub for others. Entries
 * that the reader may not see are left out.
 * @param include the reference fields to embed; null fills in nothing, because GraphQL's own fields follow the
 *   references
 * @returns the entries, in the same order
 * @throws too_complex, answer_too_large; unavailable as `Budget` does
 */
export function embedReferences<const Entries extends readonly PublicEntry[]>(
  entries: Entries,
  include: Include | null,
  budget: Budget,
): PromiseOrValue<Followed<Entries>> {
  if (include === null || entries.every(({ origin }) => origin.targets.size === 0)) return entries as Followed<Entries>;
  return followAll(entries, include, budget);
}

/** Follows the references of entries, level by level. @returns as `embedReferences` @throws as `embedReferences` */
async function followAll<const Entries extends readonly PublicEntry[]>(
  entries: Entries,
  include: Include,
  budget: Budget,
): Promise<Followed<Entries>> {
  const roots = entries.map((entry): Node => ({ entry, include, links: [] }));
  let room = maxEmbedded;
  for (let level = roots; level.length > 0;) {
    budget.takeReferences(level.reduce((sum, { entry: { origin } }) => sum + origin.count, 0));
    await Promise.all(level.map(resolveLinks));
    const links = level.flatMap((node) => node.links);
    level = await followLinks(links, room);
    for (const { row } of links) if (row) budget.takeAnswer(row.size + stubBytes);
    room -= level.length;
  }
  return roots.map(fillIn) as Followed<Entries>;
}

/** Lists a node's references with their target channels. The entries are loaded later, for all nodes of a level together. */
async function resolveLinks({ entry: { origin }, include, links }: Node): Promise<void> {
  const { channel, targets, reader } = origin;
  const fields = [...compiledFields(channel).references.values()].filter(({ name }) => targets.has(name));
  const channels = await Promise.all(fields.map(async (field) => reader.references.findTarget(field)));
  for (const [index, { name: field }] of fields.entries()) {
    const target = channels[index];
    if (!target) continue;
    const common = { field, channel: target, include: include.get(field) ?? null, reader };
    for (const id of targets.get(field) ?? []) links.push({ ...common, id, row: null, embedded: null });
  }
}

/**
 * Loads the targets of a level. @param room the number of entries that may still be embedded @returns the embedded ones
 */
async function followLinks(links: readonly PendingReference[], room: number): Promise<Node[]> {
  let included = links.filter(({ include }) => include !== null);
  if (included.length > room) {
    // Only visible entries count against the limit: otherwise a caller could count hidden ones.
    await loadTargets(included, false);
    included = included.filter(({ row }) => row !== null).slice(0, room);
  }
  const whole = new Set(included);
  await Promise.all([
    loadTargets(included, true),
    loadTargets(
      links.filter((link) => !whole.has(link)),
      false,
    ),
  ]);
  const embedded: Node[] = [];
  for (const link of included) {
    if (link.row === null) continue;
    const entry = presentEntry(link.row, link.channel, link.reader);
    link.embedded = { entry, include: link.include ?? stubsOnly, links: [] };
    embedded.push(link.embedded);
  }
  return embedded;
}

/** Loads the entries that references lead to. All of them have the same reader, because the roots have. */
async function loadTargets(links: readonly PendingReference[], whole: boolean): Promise<void> {
  const byChannel = new Map<string, PendingReference[]>();
  for (const link of links) {
    const others = byChannel.get(link.channel.uid);
    if (others) others.push(link);
    else byChannel.set(link.channel.uid, [link]);
  }
  const load = async (group: readonly PendingReference[]): Promise<void> => {
    const [first] = group;
    if (first === undefined) return;
    const ids = group.map(({ id }) => id);
    const rows = await first.reader.references.load(first.channel, { ids, whole });
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const link of group) link.row = found.get(link.id) ?? null;
  };
  await Promise.all([...byChannel.values()].map(load));
}

/** A node's entry with its reference fields filled in. */
function fillIn({ entry, links }: Node): PublicEntry {
  const found = new Map<string, unknown[]>();
  for (const { field, row, channel, reader, embedded } of links) {
    if (row === null) continue;
    const values = found.get(field) ?? [];
    values.push(embedded ? JSON.parse(restEntry(fillIn(embedded))) : presentStub(row, channel, reader));
    found.set(field, values);
  }
  const filled = [...found].map(([field, values]): [string, unknown] => {
    return [field, Array.isArray(entry.fields.values[field]) ? values : values[0]];
  });
  return { ...entry, fields: new ParsedFields({ ...entry.fields.values, ...Object.fromEntries(filled) }) };
}
