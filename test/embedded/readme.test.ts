// The README's tour, run as it stands on a first start.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeConfig } from '../../src/config/variables.ts';
import { as } from '../support/as.ts';
import { serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

let service: ServiceProcess;
let files: string;
beforeAll(async () => {
  files = scratchDirectory();
  service = await serve({ DATA_DIR: scratchDirectory() });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  removeScratch();
});

/** The commands of a section: the lines of its block, with continuation lines joined. */
function commandsOf(heading: string): string[] {
  const section = readme.slice(readme.indexOf(`\n${heading}\n`));
  const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
  const lines = block.replace(/\\\n\s*/g, '').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('export '));
}

function run(command: string): string {
  const { host } = new URL(service.url);
  const here = command.replaceAll('localhost:4000', host).replaceAll('films.ndjson', `${files}/films.ndjson`);
  const { master: MASTER, public: PUBLIC } = service.tokens ?? {};
  const env = { ...process.env, MASTER, PUBLIC, ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: MASTER };
  return execFileSync('sh', ['-c', here], { encoding: 'utf8', env });
}

test('each command of the tour in the README has the described result', () => {
  const [list = '', create = '', hidden = '', publish = '', shown = '', graphql = '', ...more] =
    commandsOf('## A tour');
  expect(more).toEqual([]);

  const page = run(list);
  expect(page).toMatch(/^HTTP\/1.1 200 /);
  expect(page).toMatch(/^link: .*rel="next"/im);
  expect(JSON.parse(page.slice(page.indexOf('\r\n\r\n')))).toHaveLength(2);

  expect(JSON.parse(run(create))).toMatchObject({ slug: 'tea-at-noon', _status: 'draft', tags: ['tea'] });
  expect(JSON.parse(run(hidden))).toMatchObject({ status: 404, code: 'not_found' });
  expect(JSON.parse(run(publish))).toMatchObject({ _status: 'published' });
  expect(JSON.parse(run(shown))).toMatchObject({ title: 'Tea at noon', title_field_value: 'Tea at noon' });
  expect(JSON.parse(run(graphql))).toMatchObject({ data: { entries: { nodes: [{ slug: 'tea-at-noon' }, {}] } } });
});

test('each command of "Films to query" in the README has the described result', async () => {
  const [nineties = '', text = '', where = '', graphql = '', toFile = '', fromFile = '', ...more] =
    commandsOf('### Films to query');
  expect(more).toEqual([]);
  const slugs = (command: string): string[] => (JSON.parse(run(command)) as { slug: string }[]).map(({ slug }) => slug);

  expect(slugs(nineties)).toEqual(['the-lost-world-jurassic-park', 'before-sunrise', 'jurassic-park', 'the-piano']);
  expect(run(nineties)).toContain('"name":"Jane Campion"');
  expect(slugs(text)).toEqual(['jurassic-park']);
  expect(slugs(where)).toEqual(['alien', 'metropolis']);
  const director = { titleFieldValue: 'Denis Villeneuve', fields: { born: '1967-10-03' } };
  expect(JSON.parse(run(graphql))).toMatchObject({ data: { entry: { titleFieldValue: 'Dune', reference: director } } });

  run(toFile);
  run(fromFile);
  const movies = '/channels/movies/entries/blade-runner-2049';
  const { body } = await as(service, { token: service.tokens?.master ?? '' }).rest('GET', movies);
  expect(body).toMatchObject({ year: 2017, director: 'denis-villeneuve', genres: ['Drama', 'Science Fiction'] });
});

test('the README names every variable that the service reads', () => {
  const variables = describeConfig().map(({ name }) => name);
  expect(variables).toContain('PORT');
  expect(variables.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
