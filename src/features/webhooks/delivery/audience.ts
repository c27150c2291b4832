// Reads for a webhook the data of a site that its audience may know: by the operations that the audience's own requests
// run, so that no rule of access is written twice (docs/contract.md §9).
import { createBudget } from '../../../admission/budget.ts';
import type { Context } from '../../../resolvers/context.ts';
import { statementsAt } from '../../../database/siteDatabase.ts';
import { shareClient } from '../../../entries/clients/sharedClient.ts';
import { orRefusal, ServiceError } from '../../../base/errors.ts';
import { SingleFlight } from '../../../base/singleFlight.ts';
import type { WebhookAudience } from '../../../generated/prisma/client.ts';
import { createReadingContext } from '../../../resolvers/readingContext.ts';
import { fetchEntry } from '../../../resolvers/entries/fetch.ts';
import { listChanges } from '../../changes/list.ts';
import { RequestStats } from '../../../telemetry/requestStats.ts';
import { perform } from '../../../resolvers/perform.ts';
import type { Caller } from '../../../rules/callers.ts';
import { unscoped } from '../../../rules/scopes.ts';
import type { ChangePage } from '../../changes/serializer.ts';
import type { ProcessParts } from '../../feature.ts';
import { restEntry } from '../../../serializers/entry.ts';

/** The parts of the process that reading uses. */
export type AudienceParts = Pick<
  ProcessParts,
  'database' | 'counts' | 'directory' | 'shares' | 'limits' | 'liveChanges' | 'baseUrl'
>;

/** The caller of each audience's reads: a master token, or an anonymous visitor with a public token. */
const callers: Readonly<Record<WebhookAudience, Caller>> = {
  management: { kind: 'master', customer: null, scopes: unscoped },
  public: { kind: 'public', customer: null, scopes: unscoped },
};

/** The number of changes that are read at a time. */
const pageSize = 100;

export class AudienceReader {
  readonly #parts: AudienceParts;
  readonly #entries = new SingleFlight<string | null>();

  constructor(parts: AudienceParts) {
    this.#parts = parts;
  }

  /** The changes behind a cursor, or from now on. @throws cursor_expired if changes behind it may be dropped */
  listChanges(site: string, audience: WebhookAudience, after: string): Promise<ChangePage> {
    return perform(listChanges, { after, limit: pageSize }, this.#context(site, audience));
  }

  /**
   * An entry as the audience would fetch it now, in JSON; null if it would not be found. Webhooks that want it at the
   * same time share the read.
   */
  findEntry(site: string, audience: WebhookAudience, channel: string, id: string): Promise<string | null> {
    const key = `${site} ${audience} ${channel} ${id}`;
    return this.#entries.run(key, () => this.#fetch(site, audience, channel, id));
  }

  async #fetch(site: string, audience: WebhookAudience, channel: string, id: string): Promise<string | null> {
    const entry = await orRefusal(() =>
      perform(fetchEntry, { channel, id, include: null }, this.#context(site, audience)),
    );
    if (!(entry instanceof ServiceError)) return restEntry(entry);
    if (entry.code === 'not_found') return null;
    throw entry;
  }

  #context(site: string, audience: WebhookAudience): Context {
    const { database, counts, directory, shares, limits, baseUrl, liveChanges } = this.#parts;
    const { runner, statements } = statementsAt(database, site);
    const account = new RequestStats();
    account.requestId = 'webhook';
    const turns = shares.of('webhooks', site);
    const db = shareClient({
      runner,
      statements,
      counts,
      shares: turns,
      creates: null,
      account,
      onWritten: () => undefined,
    });
    return createReadingContext({
      site,
      stats: account,
      caller: callers[audience],
      useAcl: false,
      db,
      assignPositions: () => liveChanges.assignAndNotify(site, db),
      directory,
      baseUrl: baseUrl(),
      limits,
      budget: createBudget(limits.answer, () => Promise.resolve()),
    });
  }
}
