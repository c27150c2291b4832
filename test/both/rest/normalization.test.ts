// Texts of one line are stored and compared in Unicode normalization form C, over both doors (docs/contract.md §6.4).
import { describe, expect, test } from '@jest/globals';
import { buildEntry } from '../../support/build.ts';
import { expectData, expectEntry, expectProblem, expectRefusal, type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/cafes/entries';

const composed = 'Caf\u00e9 \u1e69\u0323\u0307'.normalize('NFC');
const decomposed = composed.normalize('NFD');
const mail = 'zo\u00eb@k\u00f6ln.example';
const url = 'https://k\u00f6ln.example/caf\u00e9?q=%C3%A9';

const fields = [
  { name: 'name', type: 'string', unique: true, max: [...composed].length },
  { name: 'mail', type: 'email' },
  { name: 'page', type: 'url' },
  { name: 'kind', type: 'select', options: ['k\u00f6tt', 'fisk'] },
  { name: 'kinds', type: 'multi_select', options: ['k\u00f6tt', 'fisk'] },
  { name: 'words', type: 'strings' },
  { name: 'logo', type: 'file' },
  { name: 'body', type: 'text' },
  { name: 'html', type: 'html' },
  { name: 'any', type: 'json' },
] as const;
const build = () => buildScene(app, { id: 'cafes', titleField: 'name', fields: [...fields] });

/** Values of one line, and those of other types, in a normalization form. */
function values(form: 'NFC' | 'NFD') {
  const text = (each: string): string => each.normalize(form);
  return {
    lines: {
      ...{ name: text(composed), mail: text(mail), page: text(url), kind: text('k\u00f6tt') },
      ...{
        kinds: [text('k\u00f6tt')],
        words: [text('\u00e9t\u00e9')],
        logo: { url: text(url), filename: text('\u00e9') },
      },
    },
    others: { body: text(composed), html: text(`<p>${composed}</p>`), any: { '\u0061\u0301': text(composed) } },
  };
}

describe('values that are sent in form D', () => {
  test('values in form D are stored in form C if they are of one line, else unchanged; either form changes nothing', async () => {
    const { master } = await build();
    const sent = values('NFD');
    const made = expectEntry(await master.rest('POST', path, { body: { ...sent.lines, ...sent.others } }), 201);
    expect(made).toMatchObject({ ...values('NFC').lines, ...sent.others, title_field_value: composed });
    const etag = (await master.rest('GET', `${path}/${made.id}`)).headers.get('etag') ?? '';
    for (const form of ['NFD', 'NFC'] as const) {
      const headers = { 'If-Match': etag };
      const again = await master.rest('PATCH', `${path}/${made.id}`, { body: values(form).lines, headers });
      expect([again.status, again.headers.get('etag'), again.body]).toEqual([200, etag, made]);
    }
    const input = { fields: { ...values('NFD').lines, name: 'e\u0301' } };
    const document = `mutation ($input: EntryInput!) { createEntry(channel: "cafes", input: $input) { fields titleFieldValue } }`;
    expect(expectData(await master.gql(document, { input }))['createEntry']).toMatchObject({
      ...{ titleFieldValue: '\u00e9', fields: { ...values('NFC').lines, name: '\u00e9' } },
    });
  });

  test('a value in form D conflicts with the unique value in form C, and is refused as an option of another spelling', async () => {
    const { master } = await build();
    expectEntry(await master.rest('POST', path, { body: { name: composed } }), 201);
    expectProblem(await master.rest('POST', path, { body: { name: decomposed } }), 'conflict', ['name']);
    const document = `mutation ($name: JSON) { createEntry(channel: "cafes", input: { fields: { name: $name } }) { id } }`;
    expectRefusal(await master.gql(document, { name: decomposed }), 'CONFLICT', ['name']);
    for (const body of [{ kind: 'ko\u0302tt' }, { kinds: ['ko\u0308tt', 'k\u00f6tt'] }, { name: `${decomposed}x` }]) {
      expectProblem(await master.rest('POST', path, { body }), 'validation_failed', Object.keys(body));
    }
  });
});

/** The filters of a text that stand for one value of each field, by operator. */
function filtersFor(form: 'NFC' | 'NFD'): Record<string, unknown>[] {
  const { name, mail: address, kind, words } = values(form).lines;
  return [
    ...['eq', 'in', 'contains', 'starts_with', 'ends_with'].map((op) => ({
      name: { [op]: op === 'in' ? ['x', name] : name },
    })),
    ...[{ mail: { eq: address } }, { page: { contains: 'caf\u00e9?'.normalize(form) } }, { kind: { eq: kind } }],
    ...[{ kinds: { all: [kind] } }, { words: { in: words } }, { not: { kind: { ne: kind } } }],
    { name: { gte: name, lte: name } },
    { title_field_value: { starts_with: 'caf\u00e9'.normalize(form) } },
  ];
}

describe('filters', () => {
  test.each(['NFC', 'NFD'] as const)('filters in form %s find values in form C over both doors', async (form) => {
    const { master } = await build();
    const entry = expectEntry(await master.rest('POST', path, { body: values('NFD').lines }), 201);
    const second = await master.rest('POST', path, {
      body: { name: 'zz', mail: 'x@y', kind: 'fisk', page: 'https://y.z' },
    });
    expectEntry(second, 201);
    for (const where of filtersFor(form)) {
      const query = `where=${encodeURIComponent(JSON.stringify(where))}`;
      const list = await master.rest<RestEntry[]>('GET', `${path}?${query}`);
      expect([where, list.body.map(({ id }) => id)]).toEqual([where, [entry.id]]);
    }
    const text = encodeURIComponent(values(form).lines.name);
    expect((await master.rest<unknown[]>('GET', `${path}?name=${text}&sort=name`)).body).toHaveLength(1);
    const document = `query ($value: JSON) {
      entries(channel: "cafes", where: { field: "name", op: CONTAINS, value: $value }) { totalCount } }`;
    const counted = await master.gql(document, { value: values(form).lines.name });
    expect(expectData(counted)).toEqual({ entries: { totalCount: 1 } });
  });

  test('filters find texts of several lines by their stored form', async () => {
    const { master } = await build();
    expectEntry(await master.rest('POST', path, { body: { body: decomposed, any: decomposed } }), 201);
    const count = async (where: object): Promise<unknown> =>
      (await master.rest('GET', `${path}/count?where=${encodeURIComponent(JSON.stringify(where))}`)).body;
    for (const field of ['body', 'any']) {
      expect([field, await count({ [field]: { eq: decomposed } })]).toEqual([field, { count: 1 }]);
      expect([field, await count({ [field]: { eq: composed } })]).toEqual([field, { count: 0 }]);
    }
  });
});

describe('values that a release before stored in form D', () => {
  const buildOld = async () => {
    const { name, kind } = values('NFD').lines;
    const [, address] = fields;
    const old = [
      { name: 'name', type: 'string', unique: true },
      address,
      { name: 'kind', type: 'select', options: [kind, 'fisk'] },
    ] as const;
    const scene = await buildScene(app, { id: 'cafes', titleField: 'name', fields: [...old] });
    const { id } = await buildEntry(scene.db, scene.channel, { slug: 'old', data: { name: 'x', mail: 'a@b' } });
    const data = { name, kind, mail: 'a@b' };
    await scene.db.$executeRaw`UPDATE entries e SET data = ${JSON.stringify(data)}::jsonb
      WHERE e.site_id = ${scene.site.id} AND e.id = ${id}::uuid`;
    return { ...scene, old: `${path}/old`, data };
  };

  test('values stored in form D are read and found unchanged, and are in form C once they are sent', async () => {
    const { master, old, data } = await buildOld();
    expect((await master.rest('GET', old)).body).toMatchObject(data);
    for (const query of [`name=${encodeURIComponent(data.name)}`, `name.contains=${encodeURIComponent(data.name)}`]) {
      expect((await master.rest<unknown[]>('GET', `${path}?${query}`)).body).toHaveLength(1);
    }
    // An option that was declared in form D stays, and either form names it.
    for (const form of ['NFC', 'NFD'] as const) {
      const query = `where=${encodeURIComponent(JSON.stringify({ kind: values(form).lines.kind }))}`;
      expect((await master.rest<unknown[]>('GET', `${path}?${query}`)).body).toHaveLength(1);
    }
    const patched = await master.rest('PATCH', old, { body: { mail: 'c@d' } });
    expect([patched.status, patched.body]).toMatchObject([200, { ...data, mail: 'c@d' }]);
    const sentBack = await master.rest('PUT', old, { body: patched.body });
    expect([sentBack.status, sentBack.body]).toMatchObject([200, { ...data, mail: 'c@d', name: composed }]);
  });
});

describe('names', () => {
  test('names of channels, customers and tokens, labels and options are stored in form C', async () => {
    const { master } = await build();
    const field = { name: 'f', type: 'select', options: ['e\u0301'], label: 'e\u0301' };
    const channel = await master.rest('POST', '/channels', { body: { id: 'new', name: decomposed, fields: [field] } });
    expect(channel.body).toMatchObject({ name: composed, fields: [{ options: ['\u00e9'], label: '\u00e9' }] });
    const twice = { id: 'two', fields: [{ ...field, options: ['e\u0301', '\u00e9'] }] };
    expect((await master.rest('POST', '/channels', { body: twice })).status).toBe(422);
    const customer = await master.rest('POST', '/customers', {
      body: { name: decomposed, email: mail.normalize('NFD') },
    });
    expect(customer.body).toMatchObject({ name: composed, email: mail });
    for (const text of [decomposed, composed].map(encodeURIComponent)) {
      expect((await master.rest<unknown[]>('GET', `/customers?name=${text}`)).body).toHaveLength(1);
    }
    const token = await master.rest('POST', '/tokens', { body: { kind: 'public', name: decomposed } });
    expect(token.body).toMatchObject({ name: composed });
  });
});
