// Makes a copy of the build in which each named function of the project notes that it is entered.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
/** Code that is generated, and what stands for `await`, which is no function either. */
const leftOut = /^(generated|pages)\/|^base\/promiseOrValue\.js$/;

/**
 * Copies the build. Its functions call `globalThis.noteEntry` with what they are, where there is one: { file, name }.
 * Functions without a name, and generated code, do not.
 * @returns { files: the paths of its modules within the build, load(name): the module that exports a function of that name, remove() }
 */
export function copyBuild() {
  const project = mkdtempSync(join(tmpdir(), 'entryway-calls-'));
  const dist = join(project, 'dist');
  for (const name of ['node_modules', 'prisma', 'schema', 'package.json'])
    symlinkSync(join(root, name), join(project, name));
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !leftOut.test(file),
  );
  const exporting = new Map();
  for (const file of files) {
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, name] of text.matchAll(/^export (?:async )?function (\w+)/gm)) exporting.set(name, file);
    writeFileSync(join(dist, file), instrument(file, text));
  }
  const load = (name) => import(join(dist, exporting.get(name) ?? `that exports ${name}`));
  return { files, load, remove: () => rmSync(project, { recursive: true, force: true }) };
}

/** A module whose named functions note that they are entered. */
export function instrument(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const edits = [];
  const visit = (node) => {
    const name = ts.isFunctionLike(node) && node.body !== undefined ? nameOf(node) : null;
    if (name !== null) edits.push(...noting(node.body, `globalThis.noteEntry?.(${JSON.stringify({ file, name })})`));
    ts.forEachChild(node, visit);
  };
  visit(source);
  edits.sort((one, other) => other.at - one.at || other.order - one.order);
  return edits.reduce((code, { at, put }) => code.slice(0, at) + put + code.slice(at), text);
}

function noting(body, call) {
  if (ts.isBlock(body)) return [{ at: body.getStart() + 1, put: `${call};`, order: 0 }];
  return [
    { at: body.getStart(), put: `(${call},`, order: 0 },
    { at: body.getEnd(), put: ')', order: -1 },
  ];
}

/** What the engine calls a function: its own name, or that of what it is the value of; null where it has none. */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return node.parent.name?.text ?? null;
  if (node.name !== undefined) return node.name.getText();
  let { parent } = node;
  while (ts.isParenthesizedExpression(parent)) parent = parent.parent;
  if (ts.isBinaryExpression(parent)) {
    const assigns = parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && ts.isIdentifier(parent.left);
    return assigns ? parent.left.text : null;
  }
  const names =
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isBindingElement(parent);
  return names && parent.initializer !== undefined ? parent.name.getText() : null;
}
