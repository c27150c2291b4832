// Reads and writes entries of the service over REST: page by page, by the value of a field, and in bulk.
import { Refusal } from '../terminal/refusal.ts';
import { assertSuccess, readProblem, type ApiClient, type ApiResponse } from './apiClient.ts';
import type { ReadyRow } from '../transfer/columns/prepareRows.ts';

/** An entry's REST members, by name. */
export type RemoteEntry = Readonly<Record<string, unknown>>;

/** What a row is to become: a new entry (null), an update of an entry, or neither and why. */
export type UpsertTarget = null | { readonly id: string; readonly updatedAt: string } | { readonly refused: string };

/** Why a row is not stored. */
interface RowRefusal {
  readonly reason: string;
  readonly errors?: readonly unknown[];
}

/** A row that is stored: as which entry, and of which time that is. */
export interface StoredRow {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly id: string;
  readonly updatedAt: string;
}

/** What became of a row. */
export type RowOutcome = StoredRow | RowRefusal;

interface OperationResult {
  readonly status: number;
  readonly entry?: { readonly id?: string; readonly updated_at?: string };
  readonly error?: unknown;
}

/** How many bytes of a URL the values of one look-up may take. The whole URL may have 8,192 (docs/contract.md §5). */
const maxLookupBytes = 6_000;
/** How many values a look-up asks for: the database may compare each entry of the channel with all of them, and has little time for a list. */
const maxLookupValues = 50;

/**
 * The entries of a channel, page by page.
 * @param absent what a channel is that does not exist
 * @throws {Refusal} where the service refuses
 */
export async function* listPages(
  client: ApiClient,
  channel: string,
  parameters: string,
  absent: 'refused' | 'empty' = 'refused',
): AsyncGenerator<RemoteEntry[]> {
  const failure = `Can't read the entries of "${channel}"`;
  let position: string | null = '';
  while (position !== null) {
    const response: ApiResponse = await client.request(
      `/channels/${channel}/entries?per_page=250&${parameters}${position}`,
    );
    if (response.status === 404 && absent === 'empty') return;
    assertSuccess(response, failure);
    yield response.body as RemoteEntry[];
    const cursor = response.headers.get('X-Next-Cursor');
    position = cursor === null ? null : `&cursor=${encodeURIComponent(cursor)}`;
    if (cursor === null && /rel="?next/.test(response.headers.get('Link') ?? '')) {
      throw new Refusal(`${failure}: there are more, but a proxy removes the header X-Next-Cursor from the answers.`);
    }
  }
}

/** What each row is to become, in order: an update where an entry has its value of a field. @throws {Refusal} */
export async function findUpsertTargets(
  client: ApiClient,
  channel: string,
  field: string,
  rows: readonly ReadyRow[],
): Promise<UpsertTarget[]> {
  const found = new Map<unknown, RemoteEntry[]>();
  const only = [...new Set(['id', 'updated_at', field])].join(',');
  for (const list of packLists(rows.map(({ value }) => encodeListItem(value)))) {
    for await (const page of listPages(client, channel, `${field}.in=${list}&only=${only}`)) {
      for (const entry of page) found.set(entry[field], [...(found.get(entry[field]) ?? []), entry]);
    }
  }
  return rows.map(({ value, comparedAs }) => {
    // What was stored before texts were normalized has the form that was given.
    const [entry, ...others] = [...new Set([...(found.get(comparedAs) ?? []), ...(found.get(value) ?? [])])];
    if (others.length > 0) return { refused: `has a ${field} that ${others.length + 1} entries have` };
    if (encodeListItem(value).length > maxLookupBytes)
      return { refused: `has a ${field} that is too long to find an entry by` };
    return entry ? { id: String(entry['id']), updatedAt: String(entry['updated_at']) } : null;
  });
}

/** A value as an item of a comma list in a URL. Where it needs quotes, the quotes in it are doubled. */
function encodeListItem(value: ReadyRow['value']): string {
  const text = String(value);
  return encodeURIComponent(/[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
}

/** Comma lists that a URL can hold, none of them too long; items that no URL can hold are left out. */
function packLists(items: readonly string[]): string[] {
  const lists: string[][] = [];
  let bytes = 0;
  for (const item of items.filter(({ length }) => length <= maxLookupBytes)) {
    const last = lists.at(-1);
    bytes += item.length + 1;
    if (last !== undefined && last.length < maxLookupValues && bytes <= maxLookupBytes) last.push(item);
    else {
      lists.push([item]);
      bytes = item.length;
    }
  }
  return lists.map((list) => list.join(','));
}

/**
 * Creates or updates the entries of rows under an Idempotency-Key, so that it is done once however often it is sent.
 * @returns what became of each row, in order
 * @throws {Refusal} where the service refuses them all, or does not answer for too long
 */
export async function writeRows(
  client: ApiClient,
  channel: string,
  key: string,
  rows: readonly ReadyRow[],
  targets: readonly UpsertTarget[],
  dryRun: boolean,
): Promise<RowOutcome[]> {
  const operations = rows.flatMap(({ json, keptId }, index) => {
    const target = targets[index] ?? null;
    const id = keptId === undefined ? '' : `"id":${JSON.stringify(keptId)},`;
    if (target === null) return [`{"op":"create",${id}"data":${json}}`];
    return 'refused' in target ? [] : [`{"op":"update","id":${JSON.stringify(target.id)},"data":${json}}`];
  });
  const results = (dryRun ? [] : await sendOperations(client, channel, key, operations)).values();
  return targets.map((target) => {
    if (target !== null && 'refused' in target) return { reason: target.refused };
    const { status = 200, entry, error } = results.next().value ?? {};
    if (status >= 300) return readProblem(error, status);
    const [id, updatedAt] = [entry?.id ?? target?.id ?? '', entry?.updated_at ?? ''];
    if (target === null) return { outcome: 'created', id, updatedAt };
    return { outcome: updatedAt === target.updatedAt ? 'unchanged' : 'updated', id, updatedAt };
  });
}

/** Sends operations. A request that is refused as a whole is split, until the operation that is to blame is alone. */
async function sendOperations(
  client: ApiClient,
  channel: string,
  key: string,
  operations: readonly string[],
): Promise<readonly OperationResult[]> {
  if (operations.length === 0) return [];
  const body = `{"atomic":false,"operations":[${operations.join(',')}]}`;
  const response = await client.request(`/channels/${channel}/entries/bulk`, { body, key });
  if (response.status === 400 || response.status === 413) {
    if (operations.length === 1) return [{ status: response.status, error: response.body }];
    const half = Math.ceil(operations.length / 2);
    const first = await sendOperations(client, channel, `${key}.1`, operations.slice(0, half));
    return [...first, ...(await sendOperations(client, channel, `${key}.2`, operations.slice(half)))];
  }
  assertSuccess(response, 'The service refuses the entries');
  const { results = [] } = response.body as { readonly results?: readonly OperationResult[] };
  if (results.length !== operations.length)
    throw new Refusal("The service's answer does not say what became of each row.");
  return results;
}
