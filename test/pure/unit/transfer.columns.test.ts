// The columns that an import finds: none is lost without a message (docs/import-export.md).
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { decideColumns, parseColumnOptions } from '../../../clients/cli/src/transfer/columns/columns.ts';
import { fakeToken, startFake, type FakeService } from '../../support/fakeService.ts';
import { ndjson } from '../../support/films.ts';
import { entryway, start, type Run } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let service: FakeService;
let directory: string;
beforeEach(async () => {
  service = await startFake();
  directory = scratchDirectory();
});
afterEach(async () => {
  await service.stop();
  removeScratch();
});

const environment = (): Record<string, string> => ({ ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: fakeToken });

function run(name: string, text: string, ...more: string[]): Promise<Run> {
  const file = join(directory, name);
  writeFileSync(file, text);
  return entryway(['import', file, '--channel', 'films', ...more], environment());
}

const stored = (): unknown[] =>
  [...service.entries.values()].map(({ id: _id, slug: _slug, created_at: _at, updated_at: _to, ...rest }) => rest);

const csv = 'title,url,id,channel,created_at\nDune,https://a.example/dune,17,tv,1999\n';

describe('columns that only the service sets', () => {
  test('columns that only the service sets stop an import before the first row; one message names them with the options', async () => {
    const { code, stderr } = await run('films.csv', csv);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^entryway: Nothing was imported\. [^\n]+\n$/);
    expect(stderr).toContain('url (line 2), id (line 2), channel (line 2), created_at (line 2)');
    expect(stderr).toContain('--rename url=source_url --rename id=source_id');
    expect(stderr).toContain('--ignore url,id,channel,created_at, or --keep');
    expect(service.bulks).toEqual([]);
  });

  test('columns that only the service sets are imported under other names, or left out, by the options', async () => {
    const options = ['--rename', 'url=source_url', '--rename', 'created_at=year', '--ignore', 'id, channel'];
    expect((await run('films.csv', csv, ...options)).code).toBe(0);
    expect(stored()).toEqual([{ title: 'Dune', source_url: 'https://a.example/dune', year: '1999' }]);
  });

  test('a column that only the service sets stops an import if only a late row has it; nulls and empty cells are ignored', async () => {
    const rows = [
      ...Array.from({ length: 700 }, (_, at) => ({ title: `T${at}`, id: null })),
      { title: 'Late', _version: 3 },
    ];
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await run('films.ndjson', ndjson(rows), ...more);
      expect([code, stderr]).toEqual([2, expect.stringContaining('_version (line 701)')]);
    }
    expect(service.bulks).toEqual([]);
    const empty = await run('films.csv', 'title,url\nDune,\n');
    expect([empty.code, stored()]).toEqual([0, [{ title: 'Dune' }]]);
  });

  test('a column that only the service sets, on standard input: the first row stops the import, a later one fails', async () => {
    const piped = async (rows: object[]): Promise<[number | null, string]> => {
      // The rows that fail on standard input go to a file in the working directory.
      const line = ['import', '-', '--format', 'ndjson', '--channel', 'films', '--json'];
      const child = start(line, environment(), directory);
      child.stdin.end(ndjson(rows));
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      return [code, output];
    };
    expect(await piped([{ title: 'A', url: 'x' }])).toEqual([2, expect.stringContaining('--rename url=source_url')]);
    const [code, output] = await piped([{ title: 'A' }, { title: 'B', url: 'x' }]);
    expect([code, JSON.parse(output)]).toEqual([1, { created: 1, updated: 0, unchanged: 0, failed: 1 }]);
  });

  test('a renamed column that collides with another one fails its row', () => {
    const choice = parseColumnOptions({ rename: ['url=link'] });
    expect(decideColumns({ url: 1, link: 2 }, choice).problem).toMatch(/two columns that are to be the member link/);
    expect(decideColumns({ url: 1, a: 2 }, choice)).toMatchObject({ members: { link: 1, a: 2 }, problem: undefined });
  });
});

describe('a row that is a whole entry as the service shows it', () => {
  const id = '0190a1b2-0000-7000-8000-000000000001';
  const entry = {
    ...{ id, url: `https://cms.example.com/channels/films/entries/${id}`, short_id: 'Abcdefghij', slug: 'dune' },
    ...{ channel: 'films', created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-02T00:00:00.000Z' },
    ...{ title_field_value: 'Dune', _status: 'published', _publish_at: null, title: 'Dune' },
  };
  const [plain, keep] = [parseColumnOptions({}), parseColumnOptions({ keep: true })];

  test('a row that is a whole entry loses the members that only the service sets, or keeps its id and times', () => {
    const rest = { slug: 'dune', _status: 'published', _publish_at: null, title: 'Dune' };
    expect(decideColumns(entry, plain)).toEqual({
      ...{ members: rest, keptId: undefined, wasEntry: true, undecided: [], problem: undefined },
    });
    const { created_at, updated_at } = entry;
    expect(decideColumns(entry, keep)).toMatchObject({ members: { ...rest, created_at, updated_at }, keptId: id });
  });

  test.each([
    ...[{ url: 'https://a.example/dune' }, { id: '17' }, { channel: 'tv' }, { short_id: 'dune' }],
    ...[{ created_at: '2020-01-01' }, { updated_at: undefined }],
  ])('a row with %j is not taken for a whole entry', (change) => {
    expect(decideColumns({ ...entry, ...change }, plain).problem).toMatch(/which only the service sets: give --rename/);
  });

  test('whole entries as rows are reported in one line', async () => {
    const { code, stderr } = await run('films.json', JSON.stringify([entry, { title: 'Alien' }]));
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^1 row is an entry as the service shows them: .*--keep/),
    ]);
    expect(service.entries.size).toBe(2);
  });
});

test.each([
  [{ rename: ['url'] }, /takes <column>=<name>/],
  [{ rename: ['=a'] }, /takes <column>=<name>/],
  [{ rename: ['a=b', 'a=c'] }, /the column "a" twice/],
  [{ rename: ['a=c', 'b=c'] }, /two columns the name "c"/],
  [{ rename: ['a=b'], ignore: ['c,a'] }, /to --rename and to --ignore/],
  [{ rename: ['a=url'] }, /only the service sets/],
  [{ rename: ['a=id'] }, /only the service sets/],
  [{ ignore: ['id'], keep: true }, /--keep needs the column id/],
])('the import options %j are refused', (options, message) => {
  expect(() => parseColumnOptions(options)).toThrow(message);
});

test('--keep takes ids and times from other columns; a row without a UUID fails', () => {
  const choice = parseColumnOptions({ rename: ['uuid=id', 'a=b=created_at'], keep: true });
  const id = '0190a1b2-0000-7000-8000-000000000001';
  expect(decideColumns({ uuid: id, 'a=b': 'x' }, choice)).toMatchObject({ members: { created_at: 'x' }, keptId: id });
  for (const uuid of [undefined, 17, 'x'])
    expect(decideColumns({ uuid }, choice).problem).toMatch(/no id that is a UUID/);
});

test('columns whose names no field can have are offered a spelling, all in one message', async () => {
  service.fields = [
    { name: 'release_date', type: 'string' },
    { name: 'director', type: 'string' },
  ];
  const declared = await run(
    'films.ndjson',
    ndjson([
      { releaseDate: 'x', Directr: 'y' },
      { '#': 1, unknown: 2 },
    ]),
  );
  expect([declared.code, declared.stderr]).toEqual([
    2,
    expect.stringContaining(
      `"releaseDate", "Directr", "#"; give --rename releaseDate=release_date --rename Directr=director --ignore '#'.`,
    ),
  ]);
  expect(service.bulks).toEqual([]);
  // With --create-channel, names are changed into those of fields that are spelled alike.
  const respelled = await run('films.ndjson', ndjson([{ releaseDate: 'x' }]), '--create-channel');
  expect([respelled.code, stored()]).toEqual([0, [{ release_date: 'x' }]]);

  service.fields = null;
  const rows = [{ page: 1, URL: 'x', '…': 2, 'a b': 3, a_b: 4 }];
  const inferred = await run('more.ndjson', ndjson(rows), '--create-channel');
  expect([inferred.code, inferred.stderr]).toEqual([
    2,
    expect.stringContaining(
      "Give --rename page=source_page --rename URL=source_url --rename '…=field' --rename a_b=a_b_2.",
    ),
  ]);
  expect(service.created).toBeNull();
});

test('an import option that concerns no column is reported', async () => {
  const { code, stderr } = await run('films.ndjson', ndjson([{ title: 'A' }]), '--rename', 'titel=name');
  expect([code, stderr]).toEqual([0, expect.stringContaining('No row has the column "titel", which --rename names.')]);
});

test('files that were imported before: a hint, and the import continues', async () => {
  const text = ndjson([{ code: 'a' }, { code: 'b' }]);
  expect((await run('films.ndjson', text)).stderr).not.toContain('imported into');
  const again = await entryway(['import', join(directory, 'films.ndjson'), '--channel', 'films'], environment());
  expect(again.stderr).toMatch(/^This file was imported into films at 2.*Z \(2 rows\)\. Use --upsert <field>/);
  expect([again.code, service.entries.size]).toEqual([0, 4]);
  const other = await run('films.ndjson', ndjson([{ code: 'c' }]));
  expect(other.stderr).not.toContain('imported into');

  // An import that stores nothing is not remembered.
  const refused = ndjson([{ title: 'refused' }]);
  expect((await run('bad.ndjson', refused)).code).toBe(1);
  const later = await entryway(['import', join(directory, 'bad.ndjson'), '--channel', 'films'], environment());
  expect(later.stderr).not.toContain('imported into');
});
