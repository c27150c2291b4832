// Writes src/generated/anyAscii/: the table and the function of the package any-ascii, with its license. It is compiled like our own
// source, so that an installation has no package for it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(fileURLToPath(import.meta.resolve('any-ascii')));
const target = join(import.meta.dirname, '../src/generated/anyAscii');

const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const license = readFileSync(join(source, 'LICENSE'), 'utf8').trim();
const header = `/*! any-ascii ${version}\n\n${license}\n*/\n`;

mkdirSync(target, { recursive: true });
/** Copies a file as TypeScript. @param typed what stands in it, and the same with types */
function copyFile(from, to, typed) {
  let text = readFileSync(join(source, from), 'utf8');
  for (const [plain, withTypes] of typed) {
    if (!text.includes(plain)) throw new Error(`${from} of any-ascii ${version} has no "${plain}".`);
    text = text.replace(plain, withTypes);
  }
  writeFileSync(join(target, to), header + text);
}

copyFile('block.js', 'block.ts', [['block(blockNum) {', 'block(blockNum: number): string {']]);
copyFile('any-ascii.js', 'anyAscii.ts', [
  ["'./block.js'", "'./block.ts'"],
  ['const blocks = {}', 'const blocks: Record<number, string[]> = {}'],
  ['anyAscii(string) {', 'anyAscii(string: string): string {'],
  ['c.codePointAt(0)', 'c.codePointAt(0)!'],
]);
