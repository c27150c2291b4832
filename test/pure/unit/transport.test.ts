// The transport that all clients of the service share, and the options by which they differ; test/once/clients has the package's client.
import { expect, test } from '@jest/globals';
import { NoAnswer, Transport, unrepeated } from '../../../clients/typescript/src/transport.ts';

/** A transport whose requests get these answers in turn, and the requests that were sent. */
function transportTo(...answers: (Response | Error)[]): { transport: Transport; sent: RequestInit[] } {
  const sent: RequestInit[] = [];
  const fetch = (_address: unknown, request: RequestInit = {}): Promise<Response> => {
    sent.push(request);
    const answer = answers[sent.length - 1];
    return answer instanceof Response ? Promise.resolve(answer) : Promise.reject(answer ?? new Error('no more'));
  };
  const request = { redirect: 'manual', credentials: 'omit' } as const;
  return { transport: new Transport({ url: 'http://x', token: 't', fetch, timeout: Infinity, request }), sent };
}

const busy = (status: number, retryAfter?: string): Response =>
  new Response('{}', { status, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } });

test('a request that is not to be repeated is sent once, with the options of its client, and returns its first answer', async () => {
  const { transport, sent } = transportTo(busy(503, '0'), busy(200));
  expect(await transport.ask('/channels', { method: 'PATCH', json: '{"a":1}' }, unrepeated)).toMatchObject({
    status: 503,
    text: '{}',
  });
  expect(sent).toEqual([expect.objectContaining({ redirect: 'manual', credentials: 'omit', body: '{"a":1}' })]);
  expect(Object.keys(sent[0]?.headers ?? {})).toEqual(['Authorization', 'Content-Type']);
});

test('409 without Retry-After is repeated for a request with a key, where its client says so', async () => {
  const repetition = { maxBackoff: 0, goesOn: () => true };
  const first = transportTo(busy(409), busy(200));
  expect(await first.transport.ask('/', { idempotencyKey: 'k' }, repetition)).toMatchObject({ status: 409 });
  const second = transportTo(busy(409), busy(200));
  const all = { ...repetition, repeatsConflicts: true };
  expect(await second.transport.ask('/', { idempotencyKey: 'k' }, all)).toMatchObject({ status: 200 });
  const third = transportTo(busy(409), busy(200));
  expect(await third.transport.ask('/', {}, all)).toMatchObject({ status: 409 });
});

test('a client decides about a repetition by the pause of Retry-After and the number of attempts', async () => {
  const { transport } = transportTo(busy(429, '7'));
  const asked: number[][] = [];
  const goesOn = (_outcome: unknown, pause: number, attempt: number): boolean => {
    asked.push([pause, attempt]);
    return false;
  };
  await transport.ask('/', {}, { maxBackoff: 10, goesOn });
  expect(asked).toEqual([[7_000, 0]]);
});

test.each([
  [
    'the message of its cause, without a full stop',
    new TypeError('fetch failed', { cause: new Error('it is gone.') }),
    'it is gone',
  ],
  [
    'the code of a cause that has no message',
    new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
    'ECONNREFUSED',
  ],
  ['its own message', new TypeError('no network'), 'no network'],
])('a fault of the connection is reported with %s', async (_what, fault, reason) => {
  const outcome = await transportTo(fault).transport.ask('/', {}, unrepeated);
  expect(outcome).toBeInstanceOf(NoAnswer);
  expect(outcome).toMatchObject({ why: { reason, isLate: false, wasThere: false } });
});
