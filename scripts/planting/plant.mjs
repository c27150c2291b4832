// Plants a fault into a file: finds its one place by the function that it is in, and puts other code there.
import ts from 'typescript';
import { findCode, isSeparated, knownIn, listAround, readAsCode } from './patterns.mjs';
import { parse } from './sources.mjs';
import { declaredBelow, isVariable, walk } from './syntax.mjs';
import { findText, loosely } from './templates.mjs';

/**
 * Plants a fault.
 * @param sources the Sources of the project
 * @param fault what mutants.d.mts says
 * @returns { file: its path, text: with the fault in it }
 * @throws Error that says how many places were found, where it is not one, or why what is put there is no code
 */
export function plant(sources, fault) {
  if ('sql' in fault) return plantInFunction(sources, fault);
  const declarations = sources.named(fault.in);
  if (declarations.length === 0) throw new Error(`There is no ${fault.in}.`);
  const isText = 'text' in fault;
  const find = isText ? findText : findCode;
  const found = declarations.flatMap((declaration) =>
    find(declaration, isText ? fault.text : fault.find).map((place) => ({ declaration, ...place })),
  );
  if (found.length !== 1) throw new Error(`Its place was found ${found.length} times in ${fault.in}.`);
  const [place] = found;
  return isText ? putText(place, fault.put) : putCode(place, fault.put);
}

/** Plants a fault into a function of the database. */
function plantInFunction(sources, { sql, text: sought, put }) {
  const found = sources.databaseFunction(sql);
  if (found === null) throw new Error(`No migration defines the function ${sql}.`);
  const { file, text, from, to } = found;
  const matches = [...text.slice(from, to).matchAll(new RegExp(loosely(sought), 'g'))];
  if (matches.length !== 1) throw new Error(`Its place was found ${matches.length} times in ${sql}.`);
  const [match] = matches;
  return { file, text: replaced(text, from + match.index, from + match.index + match[0].length, put) };
}

function putText({ declaration, from, to, names }, put) {
  const { file, source } = declaration;
  const template = withNames(declaration, `\`${put}\``, names);
  return checked(file, replaced(source.text, from, to, template.slice(1, -1)));
}

function putCode({ declaration, nodes, names }, put) {
  const { file, source } = declaration;
  const [from, to] = [nodes[0].getStart(), nodes.at(-1).getEnd()];
  if (put === '') return removed(file, source.text, nodes);
  const text = withNames(declaration, put, names).replace(/,\s*$/, '');
  const planted = checked(file, replaced(source.text, from, to, text));
  const isWhole = !ts.isExpression(nodes[0]) || isSeparated(nodes[0]) || standsAlone(planted, from, from + text.length);
  return isWhole ? planted : checked(file, replaced(source.text, from, to, `(${text})`));
}

/** Takes nodes away, and the comma after or before them. */
function removed(file, text, nodes) {
  const [first, last] = [nodes[0], nodes.at(-1)];
  const [from, to] = [first.getStart(), last.getEnd()];
  if (!isSeparated(first)) return checked(file, replaced(text, from, to, listAround(first) === null ? '{}' : ''));
  const list = listAround(first);
  const [before, after] = [list[list.indexOf(first) - 1], list[list.indexOf(last) + 1]];
  if (after !== undefined) return checked(file, replaced(text, from, after.getStart(), ''));
  return checked(file, replaced(text, before?.getEnd() ?? from, before === undefined ? list.end : to, ''));
}

/** Whether exactly what stands there is a node, rather than parts of several. */
function standsAlone({ file, text }, from, to) {
  let isNode = false;
  walk(parse(file, text), (node) => (isNode ||= node.getStart() === from && node.getEnd() === to));
  return isNode;
}

function replaced(text, from, to, put) {
  return text.slice(0, from) + put + text.slice(to);
}

/** @throws Error where the text is no program */
function checked(file, text) {
  const [wrong] = parse(file, text).parseDiagnostics;
  if (wrong === undefined) return { file, text };
  throw new Error(`With the fault, ${file} is no program: ${ts.flattenDiagnosticMessageText(wrong.messageText, ' ')}`);
}

/**
 * Code with the names that its variables have in a function.
 * @param names by what they are called in the pattern
 * @throws Error for a variable that neither the pattern nor the function knows: the tests would fail of that alone
 */
function withNames(declaration, put, names) {
  const [reading] = readAsCode(declaration.file, put);
  if (reading === undefined) throw new Error(`What is put is no code: ${put}`);
  const { source, offset } = reading;
  const { local, around } = knownIn(declaration);
  const known = new Set([...names.keys(), ...local, ...around, ...declaredBelow(source), 'undefined']);
  const edits = [];
  walk(source, (node) => {
    if (!ts.isIdentifier(node) || !isVariable(node) || node.getStart() < offset) return;
    const isKnown = known.has(node.text) || node.text in globalThis || ts.isPartOfTypeNode(node);
    if (node.getEnd() <= offset + put.length && !isKnown) throw new Error(`Nothing is called ${node.text} there.`);
    const name = names.get(node.text) ?? node.text;
    if (name !== node.text) edits.push({ at: node.getStart() - offset, old: node.text, name: prefix(node) + name });
  });
  return edits.reverse().reduce((text, { at, old, name }) => replaced(text, at, at + old.length, name), put);
}

/** What a member is called whose variable is spelt out: `{ a }` becomes `{ a: b }`. */
function prefix(node) {
  const { parent } = node;
  const isShort =
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isBindingElement(parent) &&
      parent.name === node &&
      parent.propertyName === undefined &&
      ts.isObjectBindingPattern(parent.parent) &&
      parent.dotDotDotToken === undefined);
  return isShort ? `${node.text}: ` : '';
}
