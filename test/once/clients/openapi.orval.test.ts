// A typed client of REST by orval, as openapi.test.ts has those by other generators. orval is not among the project's own packages,
// of which it would bring a fifth again: the variable ORVAL names an installation, and scripts/test.mjs says where there is none.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { removeScratch } from '../../support/scratch.ts';
import { diagnose } from './diagnose.ts';
import {
  foundYears,
  generate,
  generatorDirectory,
  misspelled,
  query,
  runProgram,
  suiteOpenApi,
} from './openapiScene.ts';

const { app, site, document } = await suiteOpenApi();
afterAll(removeScratch);

const program = (filters = query): string => `
import { filmsListEntries } from './generated/service.js';
declare const process: { argv: string[] };
const [, , , token = ''] = process.argv;
const answer = await filmsListEntries(${filters}, { headers: { Authorization: \`Bearer \${token}\` } });
if (answer.status !== 200) throw new Error(JSON.stringify(answer.data));
console.log(JSON.stringify(answer.data.map(({ year }) => year)));
`;

test('orval: its client compiles, and gets the films that its filters are for; a misspelled call does not compile', async () => {
  const directory = generatorDirectory(document);
  // The array of `sort` goes with commas.
  const override = { fetch: { explode: false } };
  const output = { target: 'generated/service.ts', client: 'fetch', baseUrl: app.url, override };
  const config = { service: { input: 'openapi.json', output } };
  writeFileSync(join(directory, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)};`);
  await generate(directory, process.env['ORVAL'] ?? '', ['--config', 'orval.config.cjs']);
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const file = write('good.ts', program());
  expect(diagnose(file)).toEqual([]);
  expect(await runProgram(file, app.url, site.public)).toEqual(foundYears);
  for (const [index, filter] of misspelled.entries()) {
    expect([filter, diagnose(write(`wrong${index}.ts`, program(`{ ${filter} }`))).length]).not.toEqual([filter, 0]);
  }
}, 600_000);
