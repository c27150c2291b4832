// Where compiled files stand in dist/: those of src/ at its root, those of clients/ in dist/clients/. The compiler itself keeps the
// folders of the project, so that imports from one to the other are written anew.
import { existsSync, readFileSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The path in dist/ of what is made from a file. @param file its path in the project */
export function outputOf(file) {
  return file.replace(/^src\//, '').replace(/\.ts$/, '.js');
}

/** Writes the relative imports of a compiled file as they are in dist/. @param file the path of its source in the project */
export function placeImports(text, file) {
  return text.replace(/(\b(?:from|import)\s*\(?\s*)(['"])(\.\.?\/[^'"\n]+)\2/g, (all, before, quote, specifier) => {
    const target = posix.join(posix.dirname(file), specifier);
    if (!/^(src|clients)\//.test(target)) return all;
    const path = posix.relative(posix.dirname(outputOf(file)), outputOf(target));
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

/** Moves what was compiled to where it stands in dist/. @param directory that of the compiler's output */
export function placeOutputs(directory) {
  for (const folder of ['src', 'clients'].filter((name) => existsSync(join(directory, name)))) {
    const names = readdirSync(join(directory, folder), { recursive: true }).map((name) => posix.join(folder, name));
    for (const name of names.filter((each) => each.endsWith('.js'))) change(name, (text) => placeImports(text, name));
  }
  // One folder less lies between a map of src/ and its source.
  const own = readdirSync(join(directory, 'src'), { recursive: true }).map((name) => posix.join('src', name));
  for (const name of own.filter((each) => each.endsWith('.map')))
    change(name, (text) => text.replace('"sources":["../', '"sources":["'));
  for (const name of readdirSync(join(directory, 'src')))
    renameSync(join(directory, 'src', name), join(directory, name));
  rmdirSync(join(directory, 'src'));

  function change(name, write) {
    const text = readFileSync(join(directory, name), 'utf8');
    const changed = write(text);
    if (changed !== text) writeFileSync(join(directory, name), changed);
  }
}
