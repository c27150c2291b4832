// Following references when entries are read: level by level, so that each level takes one statement for each channel that
// is referred to, however many entries there are.
import type { WriteContext } from '../../context.ts';
import type { EntryRow } from '../../entries/read.ts';
import { fail } from '../../errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import type { Include } from '../../inputs/references.ts';
import type { BulkResult } from '../entries/bulk.ts';
import type { EntryPage } from '../../serializers/connection.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { presentStub } from '../../serializers/reference.ts';
import { restEntry } from '../../serializers/restEntry.ts';
import { channelNamed } from '../shared.ts';
import { targetsOf, type Targets } from './loader.ts';

/** An answer embeds no more entries than these; stubs stand for the others. */
export const mostEmbedded = 1_000;

/** What is embedded nowhere. */
export const nothingIncluded: Include = new Map();

/** An entry whose references are followed, as one reader sees it. */
interface Node {
  readonly entry: PublicEntry;
  readonly include: Include;
  readonly links: Link[];
}

/** One reference of a node, and what was found of it. */
interface Link {
  readonly field: string;
  readonly id: string;
  readonly channel: Channel;
  /** The fields to embed of what it leads to; null where a stub is to stand for that. */
  readonly include: Include | null;
  readonly useAcl: boolean;
  row: EntryRow | null;
  embedded: Node | null;
}

/**
 * Entries with the references in their fields followed: a stub for each entry that the caller may see, or all of it where
 * it is included.
 */
export async function withReferences(
  entries: readonly PublicEntry[],
  include: Include,
  context: WriteContext,
): Promise<PublicEntry[]> {
  if (entries.every(({ origin }) => origin.targets.size === 0)) return [...entries];
  const targets = targetsOf(context);
  const roots = entries.map((entry): Node => ({ entry, include, links: [] }));
  let room = mostEmbedded;
  for (let level = roots; level.length > 0;) {
    await Promise.all(level.map((node) => link(node, targets)));
    level = await follow(
      level.flatMap(({ links }) => links),
      room,
      context,
    );
    room -= level.length;
  }
  return roots.map(finished);
}

/** Finds out where a node's references lead to, unseen. */
async function link({ entry: { origin }, include, links }: Node, targets: Targets): Promise<void> {
  const fields = [...compiledFields(origin.channel).references.values()].filter(({ name }) => origin.targets.has(name));
  const channels = await Promise.all(fields.map((field) => targets.channelOf(field)));
  for (const [index, { name: field }] of fields.entries()) {
    const channel = channels[index];
    if (!channel) continue;
    const common = { field, channel, include: include.get(field) ?? null, useAcl: origin.useAcl };
    for (const id of origin.targets.get(field) ?? []) links.push({ ...common, id, row: null, embedded: null });
  }
}

/** Loads what a level's references lead to. @param room how many entries may be embedded @returns those that are */
async function follow(links: readonly Link[], room: number, context: WriteContext): Promise<Node[]> {
  const targets = targetsOf(context);
  const load = async (link: Link, whole: boolean): Promise<void> => {
    link.row = await targets.load(link.channel, link.useAcl, { id: link.id, whole });
  };
  let included = links.filter(({ include }) => include !== null);
  if (included.length > room) {
    // Only what is seen takes room: otherwise what is not could be counted.
    await Promise.all(included.map((link) => load(link, false)));
    included = included.filter(({ row }) => row !== null).slice(0, room);
  }
  const whole = new Set(included);
  await Promise.all(links.map((link) => load(link, whole.has(link))));
  const embedded: Node[] = [];
  for (const link of included) {
    if (link.row === null) continue;
    const { caller, baseUrl } = context;
    const entry = presentEntry(link.row, link.channel, { caller, baseUrl, useAcl: link.useAcl });
    link.embedded = { entry, include: link.include ?? nothingIncluded, links: [] };
    embedded.push(link.embedded);
  }
  return embedded;
}

/** A node's entry, with what was found in its fields. */
function finished({ entry, links }: Node): PublicEntry {
  const found = new Map<string, unknown[]>();
  for (const { field, row, channel, embedded } of links) {
    if (row === null) continue;
    const values = found.get(field) ?? [];
    values.push(embedded ? restEntry(finished(embedded)) : presentStub(row, channel));
    found.set(field, values);
  }
  const filled = [...found].map(([field, values]): [string, unknown] => {
    return [field, Array.isArray(entry.fields[field]) ? values : values[0]];
  });
  return { ...entry, fields: { ...entry.fields, ...Object.fromEntries(filled) } };
}

/** What an operation of REST is asked for besides its own arguments. */
interface Including {
  readonly channel: string;
  readonly include?: Include;
}

type Operation<Args, Result, In> = (parent: Record<string, never>, args: Args, context: In) => Promise<Result>;

/** An operation that gives an entry, with its references followed. */
export function following<Args, In extends WriteContext>(
  operation: Operation<Args, PublicEntry, In>,
): Operation<Args & Including, PublicEntry, In> {
  return async (parent, args, context) => {
    const include = await checkInclude(args, context);
    const entry = await operation(parent, args, context);
    return (await withReferences([entry], include, context))[0] ?? entry;
  };
}

/** The same of an operation that gives a page. */
export function followingAll<Args, In extends WriteContext>(
  operation: Operation<Args, EntryPage, In>,
): Operation<Args & Including, EntryPage, In> {
  return async (parent, args, context) => {
    const include = await checkInclude(args, context);
    const page = await operation(parent, args, context);
    const nodes = await withReferences(
      page.edges.map(({ node }) => node),
      include,
      context,
    );
    const edges = page.edges.map((edge, index) => ({
      get cursor() {
        return edge.cursor;
      },
      node: nodes[index] ?? edge.node,
    }));
    return { ...page, edges };
  };
}

/** The same of many writes: the references of all the entries that they give are followed together. */
export function followingEach<Args, In extends WriteContext>(
  operation: Operation<Args, BulkResult, In>,
): Operation<Args, BulkResult, In> {
  return async (parent, args, context) => {
    const { results } = await operation(parent, args, context);
    const entries = results.flatMap(({ entry }) => entry ?? []);
    const followed = (await withReferences(entries, nothingIncluded, context)).values();
    return {
      results: results.map((result) =>
        result.entry ? { ...result, entry: followed.next().value ?? result.entry } : result,
      ),
    };
  };
}

/** The fields to embed. @throws bad_request where one is no reference field of its channel; not_found */
async function checkInclude({ channel, include }: Including, context: WriteContext): Promise<Include> {
  if (include === undefined || include.size === 0) return nothingIncluded;
  const targets = targetsOf(context);
  const check = async (of: Channel, wanted: Include, path: string): Promise<void> => {
    const references = compiledFields(of).references;
    for (const [name, below] of wanted) {
      const field = references.get(name) ?? fail('bad_request', `include: ${JSON.stringify(path + name)} ${isNone}`);
      const target = below.size === 0 ? null : await targets.channelOf(field);
      if (target !== null) await check(target, below, `${path}${name}.`);
    }
  };
  await check(await channelNamed(context, channel), include, '');
  return include;
}

const isNone = 'is no field that refers to entries.';
