// A body is counted, then waits until as much may be held, and only then is parsed.
import { Readable } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { ServiceError } from '../../../src/base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/messages.ts';
import { bodyReader, type BodyAdmission } from '../../../src/http/request.ts';
import { makeCursor, readCursor } from '../../../src/inputs/lists/cursor.ts';
import { z } from 'zod';

const readBody = bodyReader({ body: 100_000, json: { depth: 3, members: 10, values: 20 } }, () => true);

/** The reader passes it on, and does not look at it. */
const noResponse = Object.create(null) as HttpResponse;

function requestOf(body: string): HttpRequest {
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return Object.assign(Readable.from([Buffer.from(body)]), { headers, body: undefined }) as unknown as HttpRequest;
}

const readAtOnce: BodyAdmission['shares']['readAlone'] = (work) => Promise.resolve(work());

async function read(body: string, enterValues: BodyAdmission['enterValues']): Promise<unknown> {
  const request = requestOf(body);
  await readBody(request, noResponse, { shares: { readAlone: readAtOnce }, enterValues });
  return request.body;
}

/** A body of so many bytes. */
function bodyOf(bytes: number): string {
  return `{"a": "${'x'.repeat(bytes - 9)}"}`;
}

test('a body waits for room for its values, except its outermost members, before it is parsed', async () => {
  const parse = jest.spyOn(JSON, 'parse');
  const asked: number[] = [];
  const enter = (values: number): Promise<void> => {
    asked.push(values);
    expect(parse).not.toHaveBeenCalled();
    return Promise.resolve();
  };
  try {
    expect(await read('\uFEFF {"a": [1, {"b": []}], "c": {}}', enter)).toEqual({ a: [1, { b: [] }], c: {} });
    expect(parse).toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
  expect(asked).toEqual([3]);
});

test.each([
  ['that nests too deep', `[${'['.repeat(4)}${']'.repeat(4)}]`, 'The input nests deeper than 3 levels.'],
  ['of too many items', `[${'1,'.repeat(20)}1]`, 'The input holds more than 20 members and items.'],
])('a body %s neither waits nor is parsed', async (_what, body, detail) => {
  const parse = jest.spyOn(JSON, 'parse');
  try {
    const reading = read(body, () => Promise.reject(new Error('waited')));
    await expect(reading).rejects.toMatchObject({ code: 'bad_request', detail });
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

test('a body without room for its values is refused unparsed', async () => {
  const busy = new ServiceError('unavailable', { detail: 'busy' });
  const request = requestOf('{"a": [1, 2, 3]}');
  const turns = { shares: { readAlone: readAtOnce }, enterValues: () => Promise.reject(busy) };
  await expect(readBody(request, noResponse, turns)).rejects.toBe(busy);
  expect(request.body).toEqual(Buffer.from('{"a": [1, 2, 3]}'));
});

test.each([
  ["64 KiB is counted in its caller's turn", 65_536, 1],
  ['less than 64 KiB is counted at once', 65_535, 0],
])('a body of %s', async (_what, bytes, turns) => {
  let taken = 0;
  const readAlone: BodyAdmission['shares']['readAlone'] = (work) => {
    taken += 1;
    return readAtOnce(work);
  };
  await readBody(requestOf(bodyOf(bytes)), noResponse, { shares: { readAlone }, enterValues: () => Promise.resolve() });
  expect(taken).toBe(turns);
});

test('a large body that gets no slot is refused uncounted', async () => {
  const busy = new ServiceError('unavailable', { detail: 'busy' });
  const turns = {
    shares: { readAlone: () => Promise.reject(busy) },
    enterValues: () => Promise.reject(new Error('counted')),
  };
  await expect(readBody(requestOf(bodyOf(65_536)), noResponse, turns)).rejects.toBe(busy);
});

test.each(['null', '"x"', '1', 'true'])('the body %j is JSON, but no object', async (body) => {
  const detail = 'The body must be a JSON object.';
  await expect(read(body, () => Promise.resolve())).rejects.toMatchObject({ detail });
});

test.each(['{"a":', '[1,]', '{} {}', '{"a": 1}\0'])('the body %j is not JSON', async (body) => {
  await expect(read(body, () => Promise.resolve())).rejects.toMatchObject({ detail: 'The body is not JSON.' });
});

test.each([
  ['nests', [Array.from({ length: 40 }).reduce((inner) => [inner], 1)]],
  ['holds too much', [Array.from({ length: 1_200 }, () => 1)]],
  ['is long', ['x'.repeat(4_000)]],
])('a cursor that %s is malformed, and not parsed', (_what, place) => {
  const cursor = makeCursor('list', place);
  const parse = jest.spyOn(JSON, 'parse');
  try {
    expect(() => readCursor('list', cursor, z.any())).toThrow(
      expect.objectContaining({ detail: 'The cursor is malformed.' }),
    );
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});
