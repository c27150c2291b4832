// Finds the entries that rows are to update.
import { Refusal } from '../run.ts';
import type { Ready } from './prepare.ts';
import { expectStatus, type Service } from './service.ts';

/** What becomes of a row: a new entry, an update of one, or neither. */
export type Target = null | { readonly id: string; readonly updatedAt: string } | { readonly refused: string };

type Found = Readonly<Record<string, unknown>> & { readonly id: string; readonly updated_at: string };

/** How much of a URL the values may fill; the service takes 8,192 bytes in all. */
const mostUrl = 6_000;
const mostValues = 200;

/** What becomes of each row, in order. @throws {Refusal} where the service refuses to look */
export async function targetsOf(
  service: Service,
  channel: string,
  field: string,
  rows: readonly Ready[],
): Promise<Target[]> {
  const found = new Map<string, Found[]>();
  for (const values of portions(rows)) {
    for await (const entry of entriesWith(service, channel, field, values)) {
      const key = JSON.stringify(entry[field]);
      found.set(key, [...(found.get(key) ?? []), entry]);
    }
  }
  return rows.map((row) => {
    if (sizeOf(row) > mostUrl) return { refused: `has a ${field} that is too long to find an entry by` };
    const [entry, ...others] = found.get(JSON.stringify(row.value)) ?? [];
    if (others.length > 0) return { refused: `has a ${field} that ${others.length + 1} entries have` };
    return entry ? { id: entry.id, updatedAt: entry.updated_at } : null;
  });
}

async function* entriesWith(
  service: Service,
  channel: string,
  field: string,
  values: readonly string[],
): AsyncGenerator<Found> {
  const only = [...new Set(['id', 'updated_at', field])].join(',');
  const query = `${field}.in=${values.join(',')}&per_page=250&only=${only}`;
  for (let cursor: string | null = ''; cursor !== null;) {
    const position: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/channels/${channel}/entries?${query}${position}`;
    const answer = await service.ask(path, { headers: { Prefer: 'count=none' } });
    expectStatus(answer, 200, `Can't look for entries by ${field}`);
    if (!Array.isArray(answer.body)) throw new Refusal(`Can't look for entries by ${field}: that is no list.`);
    yield* answer.body as Found[];
    cursor = answer.headers.get('X-Next-Cursor');
  }
}

/** The values as they stand in URLs, as many at a time as one may hold. */
function* portions(rows: readonly Ready[]): Generator<string[]> {
  let portion: string[] = [];
  let size = 0;
  for (const row of rows) {
    const length = sizeOf(row);
    if (length > mostUrl) continue;
    if (portion.length >= mostValues || size + length > mostUrl) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(inUrl(row.value));
    size += length;
  }
  if (portion.length > 0) yield portion;
}

function sizeOf(row: Ready): number {
  return inUrl(row.value).length + 1;
}

/** A value of a comma list: in quotes, doubled inside, where it would not be taken as it is. */
function inUrl(value: Ready['value']): string {
  const text = String(value);
  return encodeURIComponent(/[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
}
