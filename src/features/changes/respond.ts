// The feed of changes by REST: a page, a page that waits for a change, or a stream (docs/contract.md §9, §9.2).
import { readHeader } from '../../auth/identify.ts';
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { HeldOpen } from '../../admission/streams.ts';
import {
  eventStreamType,
  formatEvent,
  maxSilence,
  packEvents,
  prefersEvents,
  type StreamPart,
} from '../../http/eventStream.ts';
import { toServiceError } from '../../http/fault.ts';
import { buildProblemDetails } from '../../http/problem.ts';
import type { ChangesArguments, ChangesInput } from './input.ts';
import { readInteger } from '../../inputs/lists/list.ts';
import { followChanges, startOfStream, streamLimit, whileHeld } from './follow.ts';
import type { PageForm } from './readerships.ts';
import type { Writing } from './seats.ts';
import { restChange, type ChangePage, type PublicChange } from './serializer.ts';
import { restEntry } from '../../serializers/entry.ts';
import type { Exchange, RestRequest, RestResponse } from '../../rest/route.ts';

export const changesParameters = ['after', 'limit', 'types', 'include'] as const;

/** The headers that choose the answer: a page, one that waits, or a stream. */
export const changesVary = ['Accept', 'Prefer'] as const;

/** Maximum time for which an answer is held, in seconds. */
const maxWait = 60;
/** Time after which the reader of a stream that ended reconnects, in milliseconds. */
const retry = 2_000;

type ChangesExchange = Exchange<ChangesInput>;

/**
 * Parses the arguments of both paths. A stream begins with a page of one change, whose entry is not read. @throws
 * bad_request
 */
export function readChangesArguments(request: RestRequest): ChangesArguments {
  const { after, limit, types, include } = request.query;
  if (!wantsStream(request)) return { after, limit: readInteger(limit, 'limit'), types, include };
  if (limit !== undefined) fail('bad_request', 'limit is not a parameter of a stream, which has no pages.');
  const last = readHeader(request.headers, 'last-event-id');
  return { after: last === undefined || last === '' ? after : last, limit: 1, types, include };
}

/**
 * Responds with a page of changes, or with a stream of them.
 * @throws answer_too_large; rate_limited or unavailable if too many requests are held open; the refusal of a caller
 * whose rights end while the answer is held
 */
export async function respondChanges(page: ChangePage, exchange: ChangesExchange): Promise<RestResponse> {
  const { request } = exchange;
  if (wantsStream(request)) return respondStream(page, exchange);
  const wait = readWait(readHeader(request.headers, 'prefer'));
  const headers: Record<string, string> = wait === null ? {} : { 'Preference-Applied': `wait=${wait}` };
  const isEmpty = page.changes.length === 0 && !page.more;
  const isHeld = isEmpty && wait !== null && wait > 0 && request.method !== 'HEAD';
  const body = isHeld ? await waitForPage(page, exchange, wait * 1_000) : await writeFirst(page, exchange);
  return { status: 200, headers, body };
}

/** The preference `wait` of the header Prefer in seconds, bounded; null if it is absent (RFC 7240 §2, §4.3). */
function readWait(prefer: string | undefined): number | null {
  const first = prefer?.split(',').find((preference) => /^\s*wait\s*(?:[=;]|$)/i.test(preference));
  const [, seconds] = /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;|$)/i.exec(first ?? '') ?? [];
  return seconds === undefined ? null : Math.min(Number(seconds), maxWait);
}

/** Holds an empty answer until a page with changes comes, or the time is over, or the service stops. */
async function waitForPage(first: ChangePage, exchange: ChangesExchange, milliseconds: number): Promise<string> {
  const held = exchange.context.admission.holdOpen();
  const args = { ...sentArguments(exchange), after: first.position, limit: exchange.input.limit };
  const form = pageForm(exchange.input.includesEntries);
  const pages = followChanges({ args, context: exchange.context, held, quiet: milliseconds, form });
  for await (const { written, makeCursor, more } of pages) {
    return wrapPage(written?.changes ?? '', makeCursor?.() ?? first.cursor, more);
  }
  return writeFirst(first, exchange);
}

/** Responds with a stream. The operation that read the first page has made all refusals already. */
function respondStream(first: ChangePage, exchange: ChangesExchange): RestResponse {
  const headers = { 'Cache-Control': 'no-store' };
  if (exchange.request.method === 'HEAD') {
    return { status: 200, headers: { ...headers, 'Content-Type': eventStreamType }, body: null };
  }
  const held = exchange.context.admission.holdOpen();
  return { status: 200, headers, body: null, events: writeStream(first, exchange, held) };
}

async function* writeStream(first: ChangePage, exchange: ChangesExchange, held: HeldOpen): AsyncGenerator<StreamPart> {
  const sentArgs = sentArguments(exchange);
  const { includesEntries } = exchange.input;
  const args = { ...sentArgs, after: startOfStream(sentArgs, first), limit: streamLimit(includesEntries) };
  try {
    const start = sentArgs.after === 'now' ? first.cursor : sentArgs.after;
    yield `retry: ${retry}\n${start === null ? '' : `id: ${start}\n`}\n`;
    const form = eventsForm(includesEntries);
    const pages = followChanges({ args, context: exchange.context, held, quiet: maxSilence, form });
    for await (const { written, makeCursor } of pages) {
      // An id without an event: a reader that continues from here does not scan hidden changes again.
      if (written === null) yield makeCursor === null ? ':\n\n' : `:\nid: ${makeCursor()}\n\n`;
      else yield* whileHeld(written, held.hold);
    }
    yield ': the service stops\n\n';
  } catch (error) {
    const problem = buildProblemDetails(toServiceError(error), exchange.context.stats.requestId);
    yield formatEvent({ event: 'problem', data: JSON.stringify(problem) });
  }
}

/** The form of a stream's events, for all readers with the same access. */
function eventsForm(includesEntries: boolean): PageForm<ReturnType<typeof packEvents>> {
  return {
    key: ['rest', 'events', includesEntries],
    write: async ({ changes }, context) => {
      const write = async (change: PublicChange): Promise<string> => {
        const { cursor: id, type: event } = change;
        return formatEvent({ id, event, data: await writeChange(change, includesEntries, context) });
      };
      return packEvents(await Promise.all(changes.map(write)));
    },
  };
}

interface WrittenChanges extends Writing {
  /** In JSON, separated by commas. */
  readonly changes: string;
}

/** The form of an answer that waits, for all readers with the same access: only its cursor is each reader's own. */
function pageForm(includesEntries: boolean): PageForm<WrittenChanges> {
  return {
    key: ['rest', 'page', includesEntries],
    write: async (page, context) => {
      const changes = await writeChanges(page, includesEntries, context);
      return { changes, bytes: Buffer.byteLength(changes) };
    },
  };
}

/** The arguments as they were sent, because each poll parses them again. */
function sentArguments({ input, request }: ChangesExchange): ChangesArguments & Pick<ChangesInput, 'after'> {
  const { after, types } = input;
  const channel = request.parameters.channel === '' ? null : request.parameters.channel;
  return { channel, after, types: types && [...types], include: input.includesEntries ? 'entry' : null };
}

function wantsStream({ headers }: RestRequest): boolean {
  return prefersEvents(readHeader(headers, 'accept'), ['application/json']);
}

async function writeFirst(page: ChangePage, { input, context }: ChangesExchange): Promise<string> {
  return wrapPage(await writeChanges(page, input.includesEntries, context), page.cursor, page.more);
}

function wrapPage(changes: string, cursor: string, more: boolean): string {
  return `{"changes":[${changes}],"cursor":"${cursor}","more":${more}}`;
}

async function writeChanges({ changes }: ChangePage, includesEntries: boolean, context: Context): Promise<string> {
  return (await Promise.all(changes.map((change) => writeChange(change, includesEntries, context)))).join(',');
}

/** Writes a change in JSON, with its entry on request. */
async function writeChange(
  change: PublicChange,
  includesEntries: boolean,
  { admission: { budget } }: Context,
): Promise<string> {
  if (!includesEntries) return restChange(change);
  const entry = await change.entry();
  const text = restChange(change, entry ? restEntry(entry) : 'null');
  budget.takeAnswer(Buffer.byteLength(text));
  return text;
}
