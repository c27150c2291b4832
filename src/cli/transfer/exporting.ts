// The export itself: pages of entries, one after the other, as rows of text.
import { isFixedField, settableRestNames } from '../../entries/members.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { takesChannel } from '../../fields/types.ts';
import { isObject } from '../../inputs/json.ts';
import { Refusal } from '../run.ts';
import { cellOf } from './cells.ts';
import type { RemoteChannel } from './channel.ts';
import type { Format } from './inputs.ts';
import { expectStatus, type Service } from './service.ts';

/** An entry as REST gives it. */
type Entry = Readonly<Record<string, unknown>>;

/** Text to write, and how many rows are in it. */
export interface Written {
  readonly text: string;
  readonly rows: number;
}

/** The entries of a channel in pages, oldest first. @throws {Refusal} where the service refuses */
export async function* rowsIn(service: Service, channel: string, where: string | undefined): AsyncGenerator<Entry[]> {
  const filter = where === undefined ? '' : `&where=${encodeURIComponent(where)}`;
  for (let cursor: string | null = ''; cursor !== null;) {
    const position: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/channels/${channel}/entries?per_page=250&sort=created_at${filter}${position}`;
    const answer = await service.ask(path, { headers: { Prefer: 'count=none' } });
    expectStatus(answer, 200, `Can't read the entries of "${channel}"`);
    if (!Array.isArray(answer.body)) throw new Refusal(`Can't read the entries of "${channel}": that is no list.`);
    yield answer.body as Entry[];
    cursor = answer.headers.get('X-Next-Cursor');
    if (cursor === null && /rel="?next/.test(answer.headers.get('Link') ?? '')) {
      throw new Refusal(
        'There are more entries, but no X-Next-Cursor: something on the way takes it out of the answers.',
      );
    }
  }
}

/** Pages as text of a format. @throws {Refusal} where CSV would have no columns */
export async function* writtenAs(
  format: Format,
  { id, fields }: RemoteChannel,
  pages: AsyncIterable<Entry[]>,
): AsyncGenerator<Written> {
  const references = new Set(fields.filter(({ type }) => takesChannel(type)).map(({ name }) => name));
  const rows = rowsOfPages(pages, references);
  if (format === 'csv') {
    if (fields.length === 0) {
      throw new Refusal(`The channel "${id}" declares no fields, so that CSV has no columns: use ndjson or json.`);
    }
    yield* asCsv(fields, rows);
  } else yield* asJson(format, rows);
}

async function* rowsOfPages(pages: AsyncIterable<Entry[]>, references: ReadonlySet<string>): AsyncGenerator<Entry[]> {
  for await (const page of pages) yield page.map((entry) => rowOf(entry, references));
}

async function* asJson(format: 'json' | 'ndjson', pages: AsyncIterable<Entry[]>): AsyncGenerator<Written> {
  const [before, between, after] = format === 'json' ? ['[\n', ',\n', '\n]\n'] : ['', '\n', '\n'];
  let isFirst = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const text = page.map((row) => JSON.stringify(row)).join(between);
    yield { text: (isFirst ? before : between) + text, rows: page.length };
    isFirst = false;
  }
  if (!isFirst) yield { text: after, rows: 0 };
  else if (format === 'json') yield { text: '[]\n', rows: 0 };
}

async function* asCsv(fields: readonly FieldDefinition[], pages: AsyncIterable<Entry[]>): AsyncGenerator<Written> {
  let columns: readonly Column[] | null = null;
  for await (const page of pages) {
    const head: string = columns === null ? headOf((columns = columnsOf(fields, page[0]))) : '';
    const lines = page.map((row) => lineOf(columns ?? [], row));
    yield { text: head + lines.join(''), rows: page.length };
  }
}

interface Column {
  readonly name: string;
  readonly type: FieldDefinition['type'] | undefined;
}

function columnsOf(fields: readonly FieldDefinition[], example: Entry | undefined): Column[] {
  const given = settableRestNames.filter((name) => !name.startsWith('_') || (example && Object.hasOwn(example, name)));
  return [...given.map((name) => ({ name, type: name === '_acl' ? ('json' as const) : undefined })), ...fields];
}

function headOf(columns: readonly Column[]): string {
  return `${columns.map(({ name }) => name).join(',')}\r\n`;
}

function lineOf(columns: readonly Column[], row: Entry): string {
  return `${columns.map(({ name, type }) => cellOf(row[name], type)).join(',')}\r\n`;
}

/** What of an entry makes an equal one; references as slugs. */
function rowOf(entry: Entry, references: ReadonlySet<string>): Entry {
  const members = Object.entries(entry).filter(([name]) => settableRestNames.includes(name) || !isFixedField(name));
  return Object.fromEntries(members.map(([name, value]) => [name, references.has(name) ? slugsOf(value) : value]));
}

function slugsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slugsOf);
  return isObject(value) ? (value['slug'] ?? null) : value;
}
