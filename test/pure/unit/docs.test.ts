// Documents name files of the project that are there.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
const documents = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];

test.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|schema|prisma|scripts)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  const missing = named.filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
  const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
});
