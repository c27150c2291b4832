// Follows references when entries are read: level by level, so that each level takes one statement per target channel,
// however many entries there are.
import type { EntryRow } from '../../entries/members.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { stubsOnly, type Include } from '../../inputs/selection.ts';
import { presentEntry, presentStub, restEntry, type PublicEntry, type Reader } from '../../serializers/entry.ts';

/** A response embeds at most this many entries; stubs stand for the others. */
const maxEmbedded = 1_000;

/** An entry whose references are followed, as its reader sees it. */
interface Node {
  readonly entry: PublicEntry;
  readonly include: Include;
  readonly links: PendingReference[];
}

/** One reference of a node, and what was found at its end. */
interface PendingReference {
  readonly field: string;
  readonly id: string;
  readonly channel: Channel;
  /** The fields to embed of the target; null where a stub stands for it. */
  readonly include: Include | null;
  readonly reader: Reader;
  row: EntryRow | null;
  embedded: Node | null;
}

/** As many entries, in the same order. */
type Followed<Entries extends readonly PublicEntry[]> = { [Index in keyof Entries]: PublicEntry };

/**
 * Entries with their references followed: a stub for each entry that the reader may see, the entry where it is included.
 * @param include the reference fields to embed; null leaves the references to whoever selects them (GraphQL's fields)
 */
export async function embedReferences<const Entries extends readonly PublicEntry[]>(
  entries: Entries,
  include: Include | null,
): Promise<Followed<Entries>> {
  if (include === null || entries.every(({ origin }) => origin.targets.size === 0)) return entries as Followed<Entries>;
  const roots = entries.map((entry): Node => ({ entry, include, links: [] }));
  let room = maxEmbedded;
  for (let level = roots; level.length > 0;) {
    await Promise.all(level.map(resolveLinks));
    level = await followLinks(
      level.flatMap(({ links }) => links),
      room,
    );
    room -= level.length;
  }
  return roots.map(fillIn) as Followed<Entries>;
}

/** Finds the channels that a node's references lead to; the entries come later, all at once. */
async function resolveLinks({ entry: { origin }, include, links }: Node): Promise<void> {
  const { channel, targets, reader } = origin;
  const fields = [...compiledFields(channel).references.values()].filter(({ name }) => targets.has(name));
  const channels = await Promise.all(fields.map((field) => reader.references.findTarget(field)));
  for (const [index, { name: field }] of fields.entries()) {
    const target = channels[index];
    if (!target) continue;
    const common = { field, channel: target, include: include.get(field) ?? null, reader };
    for (const id of targets.get(field) ?? []) links.push({ ...common, id, row: null, embedded: null });
  }
}

/** Loads the targets of a level. @param room how many entries may be embedded @returns those that are */
async function followLinks(links: readonly PendingReference[], room: number): Promise<Node[]> {
  let included = links.filter(({ include }) => include !== null);
  if (included.length > room) {
    // Only visible entries take up room: otherwise hidden ones could be counted.
    await Promise.all(included.map((link) => loadTarget(link, false)));
    included = included.filter(({ row }) => row !== null).slice(0, room);
  }
  const whole = new Set(included);
  await Promise.all(links.map((link) => loadTarget(link, whole.has(link))));
  const embedded: Node[] = [];
  for (const link of included) {
    if (link.row === null) continue;
    const entry = presentEntry(link.row, link.channel, link.reader);
    link.embedded = { entry, include: link.include ?? stubsOnly, links: [] };
    embedded.push(link.embedded);
  }
  return embedded;
}

async function loadTarget(link: PendingReference, whole: boolean): Promise<void> {
  link.row = await link.reader.references.load(link.channel, { id: link.id, whole });
}

/** A node's entry, with what was found at the end of its references. */
function fillIn({ entry, links }: Node): PublicEntry {
  const found = new Map<string, unknown[]>();
  for (const { field, row, channel, embedded } of links) {
    if (row === null) continue;
    const values = found.get(field) ?? [];
    values.push(embedded ? restEntry(fillIn(embedded)) : presentStub(row, channel));
    found.set(field, values);
  }
  const filled = [...found].map(([field, values]): [string, unknown] => {
    return [field, Array.isArray(entry.fields[field]) ? values : values[0]];
  });
  return { ...entry, fields: { ...entry.fields, ...Object.fromEntries(filled) } };
}
