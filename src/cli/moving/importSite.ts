// `entryway site import`: makes a site of the file of an export. The file is read twice: all of it is checked before
// anything is stored. The site is hidden until it is complete; if the import ends before, its stored rows are deleted.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { isImportedSection, type ImportedSection } from '../../features/moving/import/input.ts';
import { asOperator, type OperatorAccess } from '../operator/operator.ts';
import type { CallResult } from '../operator/operatorCalls.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { interruptOnSignals } from '../../../clients/cli/src/terminal/interruption.ts';
import { Progress } from '../../../clients/cli/src/terminal/progress.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';
import { invitationJson, invitationText } from '../links.ts';
import { describeCounts } from './exportSite.ts';
import { readSiteFile } from './readSiteFile.ts';
import { countRows, type SiteHeader } from './siteFile.ts';

/** The number of rows of a batch and, below, its bytes of JSON, which its last row may exceed. */
const maxBatchRows = 250;
const maxRowsBytes = 1024 * 1024;

/** The number of times that a blocked step is tried again and, below, the pause before each. */
const maxPauses = 150;
const pauseMilliseconds = 200;

/** The running import. */
interface Import {
  readonly id: string;
  readonly importing: string;
}

/**
 * @throws {UsageError} if the id is not valid or the file can't be read; {Refusal} if it is not whole; conflict if
 *   there is a site with the id
 */
export async function importSite(file: string, options: { as?: string }): Promise<Result> {
  const id = options.as === undefined ? null : siteId(options.as);
  const header = await checkFile(file);
  return asOperator(async (operator) => {
    const { counts } = header;
    const target = id ?? header.site.id;
    const invitations = await importInto(operator, target, file, header);
    const renew = 'Its tokens, sessions and webhooks do not work: make or rotate those that are needed.';
    return {
      json: {
        id: target,
        file,
        imported: counts,
        database: operator.database,
        ...(invitations.length > 0 && { invitations: invitations.map(invitationJson) }),
      },
      text: [
        `Imported the site ${target} (${describeCounts(counts)}) into ${operator.where}. ${renew}`,
        ...invitations.map((invitation) => invitationText(invitation, target)),
      ].join('\n'),
    };
  });
}

/**
 * Imports the site of a checked file.
 * @returns the invitations that unproven users got in place of a membership
 * @throws the errors of the calls: nothing is imported then
 */
export async function importInto(
  operator: Pick<OperatorAccess, 'call' | 'where'>,
  id: string,
  file: string,
  header: SiteHeader,
): Promise<CallResult<'finishSiteImport'>> {
  const target = { id, importing: randomUUID() };
  await begin(operator, target, header).catch((error: unknown) => {
    throw refuseForFile(error);
  });
  try {
    return await storeFile(operator, target, file, header);
  } catch (error) {
    await abandon(operator, target).catch(() => undefined);
    throw refuseForFile(error);
  }
}

/** Reads a file to its end. @returns its header @throws {Refusal} if it is not whole */
export async function checkFile(file: string): Promise<SiteHeader> {
  let header: SiteHeader | undefined;
  for await (const item of readSiteFile(file)) if ('format' in item) header = item;
  return header ?? Promise.reject(new Refusal(`${file} is empty.`));
}

/** @throws {Refusal} if another import of the site is running */
async function begin(
  { call, where }: Pick<OperatorAccess, 'call' | 'where'>,
  { id, importing }: Import,
  { site }: SiteHeader,
): Promise<void> {
  const settings = { id, name: site.name, createdAt: site.created_at, importing };
  let from: string | null = null;
  for (let pauses = 0; pauses < maxPauses;) {
    const begun: CallResult<'beginSiteImport'> = await call('beginSiteImport', { ...settings, from });
    if (begun.state === 'begun') return;
    from = begun.kind ?? null;
    // The rows that an earlier import left may be many, and each call deletes a batch of them.
    if (begun.state === 'clearing') continue;
    pauses += 1;
    await sleep(pauseMilliseconds);
  }
  throw new Refusal(`Another import of the site ${id} goes on in ${where}. Nothing is imported.`);
}

async function storeFile(
  { call }: Pick<OperatorAccess, 'call'>,
  target: Import,
  file: string,
  header: SiteHeader,
): Promise<CallResult<'finishSiteImport'>> {
  const interruption = interruptOnSignals();
  const progress = new Progress(countRows(header));
  try {
    const members: unknown[] = [];
    for await (const { section, rows } of batches(file, members)) {
      if (interruption.stopping.aborted) throw new Refusal('The import was stopped. Nothing is imported.');
      await call('importSiteRows', { ...target, section, rows });
      progress.rows += rows.length;
      progress.bytesDone += rows.length;
    }
    const { members: _, ...counts } = header.counts;
    return await call('finishSiteImport', { ...target, members, counts });
  } finally {
    progress.stop();
    interruption.release();
  }
}

interface Batch {
  readonly section: ImportedSection;
  readonly rows: unknown[];
}

/** The rows of a file in batches of one section each; the members, which come last, are added to `members`. */
async function* batches(file: string, members: unknown[]): AsyncGenerator<Batch, void> {
  let batch: Batch | null = null;
  let bytes = 0;
  for await (const item of readSiteFile(file)) {
    if ('format' in item) continue;
    const { section, row } = item;
    if (!isImportedSection(section)) {
      members.push(row);
      continue;
    }
    if (batch !== null && (batch.section !== section || batch.rows.length === maxBatchRows || bytes > maxRowsBytes)) {
      yield batch;
      batch = null;
    }
    if (batch === null) [batch, bytes] = [{ section, rows: [] }, 0];
    batch.rows.push(row);
    bytes += item.bytes;
  }
  if (batch !== null) yield batch;
}

/** Deletes the rows that the import has stored. */
async function abandon({ call }: Pick<OperatorAccess, 'call'>, { id, importing }: Import): Promise<void> {
  let from: string | null = null;
  for (let pauses = 0; pauses < maxPauses;) {
    const part: CallResult<'abandonSiteImport'> = await call('abandonSiteImport', { id, importing, from });
    if (part.isDone) return;
    from = part.kind;
    if (from !== null) continue;
    pauses += 1;
    await sleep(pauseMilliseconds);
  }
}

/** The command was right, and its file was not: that is a failure of the import. */
function refuseForFile(error: unknown): unknown {
  const isFile = error instanceof ServiceError && error.code === 'bad_request';
  return isFile ? new Refusal(`${error.detail} Nothing is imported.`) : error;
}
