// The README's tour, run as it stands on a first start.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeConfig } from '../../src/config.ts';
import { serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

let service: ServiceProcess;
beforeAll(async () => {
  service = await serve({ DATA_DIR: scratchDirectory() });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  removeScratch();
});

/** The commands of the tour: the lines of its block, with continuation lines joined. */
function tour(): string[] {
  const [, block = ''] = /## A tour.*?```sh\n(.*?)```/s.exec(readme) ?? [];
  const lines = block.replace(/\\\n\s*/g, '').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('export '));
}

function run(command: string): string {
  const { host } = new URL(service.url);
  return execFileSync('sh', ['-c', command.replaceAll('localhost:4000', host)], {
    encoding: 'utf8',
    env: { ...process.env, MASTER: service.tokens?.master, PUBLIC: service.tokens?.public },
  });
}

test('each command does what the tour says', () => {
  const [list = '', create = '', hidden = '', publish = '', shown = '', graphql = '', ...more] = tour();
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

test('the table of configuration names every variable that the service reads', () => {
  const variables = describeConfig().map(({ name }) => name);
  expect(variables).toContain('PORT');
  expect(variables.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
