// Finds a piece of code within a function by its syntax tree: what it is called by, and how it is laid out, does not count.
import ts from 'typescript';
import { bare, declaredBelow, isSame, isVariable, walk } from './syntax.mjs';
import { declaredBy, parse } from './sources.mjs';

/**
 * What a piece of code may be. Each says how the piece is made a whole file, and where its nodes are in the tree of that.
 * `isOne`: it is a single node, and no run of those in a list.
 */
const shapes = [
  { wrap: ['(', '\n)'], nodes: (first) => [first.expression && bare(first.expression)], isOne: true },
  { wrap: ['[', '\n]'], nodes: (first) => first.expression?.elements },
  { wrap: ['({', '\n})'], nodes: (first) => first.expression?.expression?.properties },
  { wrap: ['async function* f() {', '\n}'], nodes: (first) => first.body?.statements },
  { wrap: ['switch (0) {', '\n}'], nodes: (first) => first.caseBlock?.clauses },
  { wrap: ['class C {', '\n}'], nodes: (first) => first.members },
  { wrap: ['function f(', '\n) {}'], nodes: (first) => first.parameters },
  { wrap: ['interface I {', '\n}'], nodes: (first) => first.members },
  { wrap: ['let x: ', '\n'], nodes: (first) => [first.declarationList?.declarations[0].type], isOne: true },
  { wrap: ['let ', '\n'], nodes: (first) => first.declarationList?.declarations },
  { wrap: ['', '\n'], nodes: (first) => [first], isOne: true },
];

/**
 * The ways in which a text can be read as code.
 * @param file tells by its name whether there may be JSX
 * @returns each as { nodes, source, shape, offset: how much stands ahead of the text }
 */
export function readAsCode(file, text) {
  return shapes.flatMap((shape) => {
    const [before, after] = shape.wrap;
    const source = parse(file, before + text + after);
    const [first, ...others] = source.statements;
    if (source.parseDiagnostics.length > 0 || first === undefined || others.length > 0) return [];
    const nodes = [...(shape.nodes(first) ?? [])];
    // Without its semicolon it is the expression that it reads as.
    if (nodes.length === 1 && nodes[0]?.kind === ts.SyntaxKind.ExpressionStatement && !/;\s*$/.test(text)) return [];
    if (nodes.length === 0 || nodes.some((node) => node === undefined || ts.isOmittedExpression(node))) return [];
    return [{ nodes, source, shape, offset: before.length }];
  });
}

/**
 * The places of a function that say what a pattern says. A name that the pattern has for a variable, and that is known neither
 * in the function nor around it, may stand for any variable of the function.
 * @param declaration { file, source, node } of the function
 * @returns each as { nodes: those found, names: what each variable of the pattern is called there }
 */
export function findCode(declaration, pattern) {
  const known = knownIn(declaration);
  const found = new Map();
  for (const { nodes, shape } of readAsCode(declaration.file, pattern)) {
    for (const run of runsOf(declaration.node, nodes, shape)) {
      const names = findSame(known, nodes, run);
      if (names === null) continue;
      const key = `${run[0].getStart()} ${run.at(-1).getEnd()}`;
      if (!found.has(key)) found.set(key, { nodes: run, names });
    }
  }
  return [...found.values()];
}

/**
 * Compares nodes of a pattern with as many of a function.
 * @param known what `knownIn` says of the function
 * @returns what each variable of the pattern is called there; null where they do not say the same
 */
export function findSame(known, nodes, others) {
  const names = new Map();
  return others.every((other, at) => isSame(nodes[at], other, nameMatcher(known, names))) ? names : null;
}

const noted = new WeakMap();

/** The names that are declared in a function, and in its file around it. */
export function knownIn({ source, node }) {
  const known = noted.get(node) ?? {
    local: declaredBelow(node),
    around: new Set(source.statements.flatMap(declaredBy)),
  };
  noted.set(node, known);
  return known;
}

/** Compares names, and notes what those of the pattern are called. */
function nameMatcher({ around, local }, names) {
  return (one, other) => {
    const isAlike = one.text === other.text;
    if (!isVariable(other)) return isAlike;
    if (names.has(one.text)) return names.get(one.text) === other.text;
    const isKnown = local.has(one.text) || around.has(one.text) || one.text in globalThis;
    const mayDiffer = !isKnown && local.has(other.text) && !around.has(other.text);
    if (!(isAlike || mayDiffer) || [...names.values()].includes(other.text)) return false;
    names.set(one.text, other.text);
    return true;
  };
}

/** The runs of nodes below a node that are as long as a pattern and begin with what may be the same. */
function runsOf(root, nodes, shape) {
  const runs = [];
  const { kind } = nodes[0];
  walk(root, (node) => {
    if (nodes.length === 1 && !ts.isParenthesizedExpression(node)) runs.push([node]);
    if (shape.isOne) return;
    for (const list of listsOf(node)) {
      if (nodes.length === 1) break;
      for (let at = 0; at + nodes.length <= list.length; at += 1) runs.push(list.slice(at, at + nodes.length));
    }
  });
  return runs.filter(([first]) => bare(first).kind === kind || isShorthand(first.kind) || isShorthand(kind));
}

function isShorthand(kind) {
  return kind === ts.SyntaxKind.ShorthandPropertyAssignment;
}

/** The lists that a node holds: statements, arguments, members … */
function listsOf(node) {
  return Object.entries(node).flatMap(([key, value]) => (Array.isArray(value) && key !== 'jsDoc' ? [value] : []));
}

/** The list that a node is an item of, or null. */
export function listAround(node) {
  return listsOf(node.parent).find((list) => list.includes(node)) ?? null;
}

/** Whether a node is an item of a list with commas. */
export function isSeparated(node) {
  const { parent } = node;
  const has =
    ts.isCallLikeExpression(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isObjectLiteralExpression(parent) ||
    ts.isFunctionLike(parent) ||
    ts.isVariableDeclarationList(parent);
  return has && listAround(node) !== null;
}
