// Follows the site's changes (docs/contract.md §9): by a stream, and by asking again and again where streams do not come through.
import { sendAs } from '../api/client.ts';
import { Problem, readProblem, unreachable } from '../api/problem.ts';
import type { Session } from '../api/session.ts';
import type { Change } from '../api/types.ts';
import { isConnected, untilLost } from './connection.ts';
import { createEventReader } from './events.ts';

export type LiveState = 'starting' | 'stream' | 'polling' | 'away';

interface Listener {
  readonly onChange: (change: Change) => void;
  readonly onState: (state: LiveState) => void;
  /** The token, its session or membership has ended. */
  readonly onEnd: (problem: Problem) => void;
}

/** After so many streams in a row that did not open, the feed is asked instead. */
const maxFailedStreams = 2;
const pollEvery = 5_000;

/** Follows the changes until the signal aborts. */
export async function followSite(session: Session, listener: Listener, signal: AbortSignal): Promise<void> {
  let place = 'now';
  let failed = 0;
  const moveTo = (cursor: string): void => {
    place = cursor;
  };
  while (!isOver(signal)) {
    const isPolling = failed >= maxFailedStreams;
    const attempt = untilLost(signal);
    try {
      if (isPolling) place = await poll(session, place, listener, attempt);
      else {
        await readStream(session, place, { ...listener, moveTo }, attempt);
        failed = 0;
      }
      await wait(isPolling ? pollEvery : 1_000, attempt);
      if (isOver(attempt)) listener.onState('away');
    } catch (error) {
      if (isOver(signal)) return;
      if (isOver(attempt)) {
        // The next attempt shows at once whether the service is out of reach, too.
        listener.onState('away');
        continue;
      }
      const problem = error instanceof Problem ? error : unreachable();
      if (problem.status === 401) {
        listener.onEnd(problem);
        return;
      }
      if (problem.status === 410) place = 'now';
      // A connection that is lost tells nothing of whether streams come through.
      if (!isPolling && isConnected()) failed += 1;
      listener.onState('away');
      await wait(Math.max(problem.details.retryAfter ?? 0, 3) * 1_000, signal);
    }
  }
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function open(session: Session, after: string, accept: string, signal: AbortSignal): Promise<Response> {
  const sent = { query: { after }, headers: { Accept: accept }, signal };
  const response = await sendAs(session, (transport) => transport.open('/changes', sent));
  const { status, headers, ok } = response;
  if (!ok) throw readProblem({ status, headers, text: await response.text().catch(() => '') });
  return response;
}

type StreamListener = Listener & { readonly moveTo: (cursor: string) => void };

async function readStream(
  session: Session,
  after: string,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  const { body } = await open(session, after, 'text/event-stream', signal);
  if (body === null) throw unreachable();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const read = createEventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const { id, event, data } of read(value)) {
      // The first event says that the stream comes through.
      listener.onState('stream');
      if (event === 'problem') {
        const problem = readEventProblem(data);
        // The token is over. Whether there is another one shows when the stream is opened again.
        if (problem.status === 401) return;
        throw problem;
      }
      if (id !== null) listener.moveTo(id);
      if (data !== '') listener.onChange(JSON.parse(data) as Change);
    }
  }
}

/** The problem with which a stream ended. */
function readEventProblem(data: string): Problem {
  const sent = JSON.parse(data) as { status: number; code: string; title: string; detail: string };
  return new Problem({ ...sent, requestId: null, errors: [], missing: null, retryAfter: null });
}

interface Page {
  readonly changes: readonly Change[];
  readonly cursor: string;
}

async function poll(session: Session, after: string, listener: Listener, signal: AbortSignal): Promise<string> {
  const page = (await (await open(session, after, 'application/json', signal)).json()) as Page;
  listener.onState('polling');
  for (const change of page.changes) listener.onChange(change);
  return page.cursor;
}

/** Waits for a time, or until the signal aborts or the connection is back. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      removeEventListener('online', finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal.addEventListener('abort', finish);
    addEventListener('online', finish);
  });
}
