// Embeds the references of entries that were just written. The answer to a write cannot be refused any more: an update
// takes the budget for it before it stores anything.
import { unlimitedBudget as budget } from '../../admission/budget.ts';
import type { PromiseOrValue } from '../../base/promiseOrValue.ts';
import type { Include } from '../../inputs/selection.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import { ReferenceLoader } from '../load.ts';
import type { OperationContext } from '../operation.ts';
import { embedReferences } from './embed.ts';

/** Fills in the reference fields of written entries, like `embedReferences`, without a budget. */
export function embedWritten(
  entries: readonly PublicEntry[],
  include: Include | null,
  context: OperationContext,
): PromiseOrValue<readonly PublicEntry[]> {
  const written = asWritten(entries, context);
  if (include === null) return written;
  const followed = written.map((entry) => ({ ...entry, origin: { ...entry.origin, reader: entry.origin.written } }));
  return embedReferences(followed, include, budget);
}

type WrittenEntry = PublicEntry & { readonly origin: { readonly written: PublicEntry['origin']['reader'] } };

/**
 * Presents written entries: their own fields are shown without a budget, and the entries behind their references with
 * one.
 */
export function asWritten(entries: readonly PublicEntry[], context: OperationContext): WrittenEntry[] {
  const { site, caller, viewer, preview, baseUrl, services } = context;
  const admission = { budget };
  const references = new ReferenceLoader({ site, services, admission }, context.renewViewer);
  const written = { site, caller, viewer, preview, baseUrl, services, references, admission };
  return entries.map((entry) => ({ ...entry, origin: { ...entry.origin, reader: context, written } }));
}
