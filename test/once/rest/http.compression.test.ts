// Compressed answers (docs/contract.md §5.17), and their entity tags.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { buildEntry } from '../../support/build.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const { db, site, channel } = await buildScene(app, { updateScope: 'public' });
await buildEntry(db, channel, { slug: 'long', data: { title: 'Long', text: 'abc '.repeat(1_000) } });
await buildEntry(db, channel, { slug: 'short', data: { title: 'Short' } });

const path = '/channels/articles/entries/long';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** One request without a decompression of its answer. */
async function ask(headers: Record<string, string>, at = path, method = 'GET', body?: string): Promise<Answer> {
  const all = { Authorization: `Bearer ${site.public}`, 'Content-Type': 'application/json', ...headers };
  const sent = request(app.url + at, { method, headers: all });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat((await answer.toArray()) as Buffer[]);
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

const plain = await ask({});
const tag = plain.headers.etag ?? '';
const tagOf = (encoding: string): string => tag.replace(/"$/, `-${encoding}"`);

describe('an answer over 1 kB', () => {
  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip;q=0.5, br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
  ])('an answer over 1 kB is compressed for clients that accept %s', async (accepted, encoding, decompress) => {
    const answer = await ask({ 'Accept-Encoding': accepted });
    expect(answer.headers).toMatchObject({ 'content-encoding': encoding, etag: tagOf(encoding) });
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(decompress(answer.bytes).equals(plain.bytes)).toBe(true);
    const head = await ask({ 'Accept-Encoding': accepted }, path, 'HEAD');
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) {
      expect([name, head.headers[name]]).toEqual([name, answer.headers[name]]);
    }
  });

  test.each([
    {},
    { 'Accept-Encoding': '' },
    { 'Accept-Encoding': 'identity, gzip;q=0.5' },
    { 'Accept-Encoding': 'gzip;q=0, br;q=0' },
    { 'Accept-Encoding': 'zstd' },
    { 'Accept-Encoding': 'gzip', 'Cache-Control': 'no-cache, no-transform' },
  ])('an answer over 1 kB is sent uncompressed with %j', async (headers) => {
    const answer = await ask(headers);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect([answer.headers.etag, answer.bytes.equals(plain.bytes)]).toEqual([tag, true]);
    expect(answer.headers.vary).toMatch(/\bAccept-Encoding\b/);
  });

  test('answers of GraphQL and refusals over 1 kB are compressed, too', async () => {
    const query = '{ entry(channel: "articles", id: "long") { fields } }';
    const answer = await ask({ 'Accept-Encoding': 'gzip' }, '/graphql', 'POST', JSON.stringify({ query }));
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(JSON.parse(gunzipSync(answer.bytes).toString())).toHaveProperty('data.entry.fields.title', 'Long');
    const name = 'x'.repeat(2_000);
    const refused = await ask({ 'Accept-Encoding': 'gzip' }, `/channels/articles/entries?only=${name}`);
    expect([refused.status, refused.headers['content-encoding']]).toEqual([400, 'gzip']);
    expect(JSON.parse(gunzipSync(refused.bytes).toString())).toMatchObject({ code: 'bad_request' });
  });
});

test('an answer below 1 kB is sent uncompressed', async () => {
  const answer = await ask({ 'Accept-Encoding': 'gzip' }, '/channels/articles/entries/short');
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
});

describe('either form of an entity tag', () => {
  const forms = [tag, tagOf('gzip'), tagOf('br')];

  test.each(forms)('If-None-Match: %s is 304 with that tag, compressed or not', async (form) => {
    for (const accepted of ['identity', 'gzip', 'br']) {
      const headers = { 'If-None-Match': `"other", W/${form}`, 'Accept-Encoding': accepted };
      const answer = await ask(headers);
      expect([answer.status, answer.headers.etag, answer.bytes.length]).toEqual([304, form, 0]);
    }
  });

  test('If-Match compares the version alone', async () => {
    let version = 1;
    for (const suffix of ['', '-gzip', '-br']) {
      const current = await ask({});
      const form = (current.headers.etag ?? '').replace(/"$/, `${suffix}"`);
      const answer = await ask({ 'If-Match': form }, path, 'PATCH', `{"n": ${(version += 1)}}`);
      expect(answer.status).toBe(200);
      expect((await ask({ 'If-Match': form }, path, 'PATCH', '{"n": 0}')).status).toBe(412);
    }
  });
});
