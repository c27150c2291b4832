// Nothing of src/ is left over: a route, field or command that was not entered in its table leaves what it is made of unused. Nor do
// scripts, which no compiler reads, import what has moved.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
const sources = ['src', 'test', 'scripts', 'bench', 'clients']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.m?ts$|\.mjs$/.test(path) && !path.startsWith('src/generated/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const own = sources.filter(({ path }) => path.startsWith('src/'));

test('every file of src is imported there, except the command line itself and the thread of the embedded database', () => {
  const imported = own.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, file = '']) => join(path, '..', file)),
  );
  const left = own.filter(({ path }) => !imported.includes(path) && !path.endsWith('.d.ts'));
  expect(left.map(({ path }) => path).sort()).toEqual(['src/database/embedded/pgliteWorker.ts', 'src/main.ts']);
});

test('every file that scripts and benches import is there', () => {
  const scripts = sources.filter(({ path }) => path.endsWith('.mjs'));
  const imported = scripts.flatMap(({ path, text }) =>
    [...text.matchAll(/^import .*'(\.[^']+)';$|^} from '(\.[^']+)';$|import\('(\.[^']+)'\)/gm)]
      .map(([, single, several, dynamic]) => join(path, '..', single ?? several ?? dynamic ?? ''))
      // Scripts run what was built.
      .map((file) =>
        file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts').replace(/^(clients\/.*)\/dist\/(.*)\.js$/, '$1/src/$2.ts'),
      ),
  );
  expect(imported.length).toBeGreaterThan(150);
  expect(imported.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('every exported function, class and value is used in another file', () => {
  const left = own.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|class|const) (\w+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !sources.some((other) => other.path !== path && new RegExp(`\\b${name}\\b`).test(other.text)))
      .map((name) => `${path}: ${name}`),
  );
  expect(left).toEqual([]);
});
