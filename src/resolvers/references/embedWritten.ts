// Embeds the references of entries that were just written.
import { unlimitedBudget as budget } from '../../budget.ts';
import type { Include } from '../../inputs/selection.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import { createReferenceLoader } from '../load.ts';
import type { OperationContext } from '../perform.ts';
import { embedReferences } from './embed.ts';

/**
 * Fills in the reference fields of written entries, like `embedReferences`. It has no budget: the write is stored, so that it
 * cannot be refused any more.
 */
export function embedWritten(
  entries: readonly PublicEntry[],
  include: Include | null,
  context: OperationContext,
): Promise<readonly PublicEntry[]> {
  if (include === null) return Promise.resolve(entries);
  const references = createReferenceLoader({ ...context, budget }, context.renewViewer);
  const reader = { ...context, references };
  return embedReferences(
    entries.map((entry) => ({ ...entry, origin: { ...entry.origin, reader } })),
    include,
    budget,
  );
}
