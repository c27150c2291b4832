// Bodies that are odd and can be understood: what is stored is what was validated, and what does not fit is 422 by both
// doors (docs/contract.md §5, §6).
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { as, send, type Caller } from '../../support/as.ts';
import { expectData, expectEntry, expectProblem } from '../../support/expect.ts';
import { expectRestRefused } from '../../support/refused.ts';
import { words } from '../../support/words.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const list = '/channels/articles/entries';
const one = `${list}/one`;

const app = await suiteApp();

/** A site with the entry `one`, where anybody may create others. */
const buildOpen = () => buildOne(app, { data: { title: 'One' } }, { createScope: 'public' });

/** A create and an update with a body as it is. */
async function writeBoth(master: Caller, body: string) {
  return [await master.rest('POST', list, { body }), await master.rest('PUT', one, { body })];
}

describe('stored as they are, by both doors', () => {
  test.each<[what: string, text: string]>([
    ['an emoji of four bytes', '😀'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a flag', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['Arabic', 'مرحبا بالعالم'],
    ['Hebrew with an override', '\u202eשלום\u202c'],
    ['a letter and its mark', 'e\u0301'],
    ['that letter in one', '\u00e9'],
    ['marks upon marks', `Z${'\u0300\u0315\u035d'.repeat(50)}`],
    ['no width', 'a\u200b\u200d\ufeffb'],
    ['line ends of all kinds', 'a\r\nb\u2028c\u2029d\u0085e'],
    ['control characters', '\u0001\u0002\u001b[31m\u007f'],
    ['what no character is', '\uffff\ufffe\u{10ffff}'],
    ['the replacement character', '\ufffd'],
    ['a private one', '\ue000'],
    ['quotes and backslashes', `'"\\\`$$;--/*`],
    ['an injection', "'); DROP TABLE entries; --"],
    ['a placeholder', '$1 ? :id %s %% {0}'],
    ['a backslash that looks like a NUL', '\\u0000'],
    ['HTML', '<script>alert(1)</script>'],
    ['an entity', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>&a;'],
    ['a template', '${7*7} {{7*7}} <%= 7*7 %>'],
    ['a path', '../../etc/passwd'],
    ['blanks', '   '],
    ['nothing', ''],
  ])('a text is stored unchanged by both doors: %s: %j', async (_what, text) => {
    const { master } = await buildOpen();
    const name = `n${text.slice(0, 100)}`;
    const fields = { title: text, [name]: { deep: [text] } };
    for (const answer of await writeBoth(master, JSON.stringify(fields))) {
      const entry = expectEntry(answer, answer.status === 201 ? 201 : 200);
      expect([entry['title'], entry[name], entry.title_field_value]).toEqual([text, { deep: [text] }, text]);
      const read = expectEntry(await master.rest('GET', `${list}/${entry.id}`));
      expect([read['title'], read[name]]).toEqual([text, { deep: [text] }]);
    }
    const answer = await master.gql<{ createEntry: { fields: unknown } }>(
      'mutation ($fields: JSONObject) { createEntry(channel: "articles", input: { fields: $fields }) { fields } }',
      { fields },
    );
    expect(expectData(answer).createEntry.fields).toEqual(fields);
  });

  test.each(words('constructor toString hasOwnProperty then toJSON length valueOf'))(
    'a field named %s is stored by both doors',
    async (name) => {
      const { master } = await buildOpen();
      for (const value of ['x', { prototype: { polluted: true } }]) {
        for (const answer of await writeBoth(master, JSON.stringify({ [name]: value }))) {
          const { id } = expectEntry(answer, answer.status === 201 ? 201 : 200);
          const read = expectEntry(await master.rest('GET', `${list}/${id}`));
          expect([Object.hasOwn(read, name), read[name]]).toEqual([true, value]);
        }
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  test('__proto__ within a value is stored like other names', async () => {
    const { master } = await buildOpen();
    const body = '{"a":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
    for (const answer of await writeBoth(master, body)) {
      const { id } = expectEntry(answer, answer.status === 201 ? 201 : 200);
      const { text } = await master.rest('GET', `${list}/${id}`);
      expect(text).toMatch(/"__proto__": ?\{"polluted": ?true\}/);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('the value that was validated is the value that is stored', () => {
  test.each<[what: string, body: string, stored: Record<string, unknown>]>([
    ['of two members of one name the last', '{"title":"a","year":1,"year":2,"title":"b"}', { title: 'b', year: 2 }],
    ['also spelt otherwise', '{"year":1,"\\u0079ear":2}', { year: 2 }],
    ['a good slug behind a bad one', '{"slug":"No Slug","slug":"fine"}', { slug: 'fine' }],
    ['a number of many digits', `{"n":0.${'1'.repeat(5000)}}`, { n: 0.1111111111111111 }],
    ['a number too small', '{"n":1e-400}', { n: 0 }],
    ['minus zero', '{"n":-0}', { n: 0 }],
    ['the largest number', '{"n":1.7976931348623157e308}', { n: 1.7976931348623157e308 }],
    ['blanks around it', ' \r\n\t{"n":1}\n ', { n: 1 }],
    [
      'read-only members, ignored',
      '{"id":"x","url":5,"short_id":null,"channel":[],"created_at":"no","n":1}',
      { n: 1, channel: 'articles' },
    ],
    ['90 levels', `{"a":${'['.repeat(90)}1${']'.repeat(90)},"n":1}`, { n: 1 }],
  ])('the validated value is the stored value: %s', async (_what, body, stored) => {
    for (const create of [true, false]) {
      const { master } = await buildOpen();
      const answer = await master.rest(create ? 'POST' : 'PUT', create ? list : one, { body });
      const { id } = expectEntry(answer, create ? 201 : 200);
      expect(expectEntry(await master.rest('GET', `${list}/${id}`))).toMatchObject(stored);
    }
  });

  test('a title of a megabyte is stored whole, and only its beginning is folded and sorted', async () => {
    const { site } = await buildOpen();
    const title = '中'.repeat(340_000);
    const created = expectEntry(await as(app, { token: site.public }).rest('POST', list, { body: { title } }), 201);
    expect(created.title_field_value).toBe(title);
    const row = await app.database.prisma.entry.findFirst({ where: { siteId: site.id, id: created.id } });
    expect([row?.title?.length, row?.titleKey?.length, row?.titleRest?.length]).toEqual([1000, 300, 700]);
  });

  test('an update with equal values in another spelling changes no version', async () => {
    const { master } = await buildOpen();
    const set = expectEntry(await master.rest('PUT', one, { body: { a: { b: 1 }, z: 0 } }));
    expect(set['z']).toBe(0);
    const literal =
      'mutation { updateEntry(channel: "articles", id: "one", input: { fields: { a: { b: 1 } } }) { version } }';
    expect(expectData(await master.gql(literal))).toEqual({ updateEntry: { version: 2 } });
    expect((await master.rest('PATCH', one, { body: '{"z": -0}' })).headers.get('etag')).toMatch(/^"2\./);
  });
});

describe('not taken: 422, and nothing stored', () => {
  const many = (count: number, value: string): string =>
    `{${Array.from({ length: count }, (_, index) => `"_${index}":${value}`).join(',')}}`;
  test.each<[what: string, body: string, field: string]>([
    ['a number beyond numbers', '{"n":1e400}', 'n'],
    ['one deep inside', '{"n":{"m":[1,-1e400]}}', 'n'],
    ['__proto__', '{"__proto__":{"read":true}}', '__proto__'],
    ['__proto__ beside good ones', '{"title":"x","__proto__":null}', '__proto__'],
    ['a name of half a megabyte', `{"${'n'.repeat(500_000)}":1}`, `${'n'.repeat(300)}…`],
    ['a name of emoji, cut between halves', `{"n${'😀'.repeat(120_000)}":1}`, `n${'😀'.repeat(149)}\ufffd…`],
    ['10,000 members that may not be', many(10_000, '1'), '_0'],
    ['a slug of half a megabyte', `{"slug":"${'s'.repeat(500_000)}"}`, 'slug'],
    ['a slug that takes a regular expression long', `{"slug":"${'a-'.repeat(250_000)}"}`, 'slug'],
    ['a time of half a megabyte', `{"_publish_at":"${'2'.repeat(500_000)}"}`, '_publish_at'],
  ])('a value is refused with 422, and nothing is stored: %s', async (_what, body, field) => {
    const { master } = await buildOpen();
    for (const answer of await writeBoth(master, body)) {
      expectRestRefused(answer, 422, 'validation_failed');
      expect((answer.body as { errors?: { field: string }[] }).errors?.[0]?.field).toBe(field);
      expect(answer.text.length).toBeLessThan(50_000);
    }
    expect((await master.rest('GET', `${list}/count`)).body).toEqual({ count: 1 });
  });

  test('a body with many errors has 100 of them in its answer', async () => {
    const { master } = await buildOpen();
    const names = Array.from({ length: 100 }, (_, index) => `_${index}`);
    expectProblem(await master.rest('POST', list, { body: many(1000, '1') }), 'validation_failed', names);
  });
});

describe('allowed', () => {
  const good = '{"title": "Löwe 🦁"}';
  const json = 'application/json';
  test.each<[what: string, headers: Record<string, string>, body: string | Buffer]>([
    ['as it is', { 'Content-Type': json }, good],
    ['with its character set', { 'Content-Type': `${json}; charset=utf-8` }, good],
    ['in quotes', { 'Content-Type': `${json}; charset="utf-8"` }, good],
    ['in capitals', { 'Content-Type': 'Application/JSON;charset=UTF-8' }, good],
    ['with a parameter of its own', { 'Content-Type': `${json}; profile=x` }, good],
    ['with a semicolon', { 'Content-Type': `${json} ;` }, good],
    ['in chunks', { 'Content-Type': json, 'Transfer-Encoding': 'chunked' }, good],
    ['as identity', { 'Content-Type': json, 'Content-Encoding': 'identity' }, good],
    ['in gzip', { 'Content-Type': json, 'Content-Encoding': 'gzip' }, gzipSync(good)],
    ['in deflate', { 'Content-Type': json, 'Content-Encoding': 'deflate' }, deflateSync(good)],
    ['in Brotli', { 'Content-Type': json, 'Content-Encoding': 'br' }, brotliCompressSync(good)],
  ])('a create with this content type or body is accepted: %s', async (_what, headers, body) => {
    const { site } = await buildOpen();
    for (const [method, path, status] of [
      ['POST', list, 201],
      ['PUT', one, 200],
      ['PATCH', one, 200],
    ] as const) {
      const all = { Authorization: `Bearer ${site.master}`, ...headers };
      expect(expectEntry(await send(app, method, path, { headers: all, body }), status)['title']).toBe('Löwe 🦁');
    }
  });

  test('a body of exactly 1 MiB is accepted', async () => {
    const { master } = await buildOpen();
    const body = `{"text": "${'x'.repeat(1024 * 1024 - '{"text": ""}'.length)}"}`;
    expect((await writeBoth(master, body)).map(({ status }) => status)).toEqual([201, 200]);
  });

  test('GET and DELETE ignore a body', async () => {
    const { site } = await buildOpen();
    const headers = { Authorization: `Bearer ${site.master}`, 'Content-Type': 'text/plain', 'Content-Length': '1' };
    expect((await send(app, 'GET', one, { headers, body: '{' })).status).toBe(200);
    expect((await send(app, 'DELETE', one, { headers, body: '{' })).status).toBe(204);
  });
});
