// Compares syntax trees of TypeScript, whatever their formatting and comments are, and whatever local names are called.
import ts from 'typescript';

const { SyntaxKind } = ts;

/** What a node holds of where it stands, how it was written and what the compiler notes on it, rather than of what it says. */
const unsaid = new Set(
  [
    ['pos', 'end', 'id', 'kind', 'flags', 'parent', 'original', 'emitNode', 'jsDoc', 'symbol', 'localSymbol', 'locals'],
    ['nextContainer', 'flowNode', 'endFlowNode', 'returnFlowNode', 'modifierFlagsCache', 'transformFlags', 'rawText'],
    ['multiLine', 'multiline', 'hasTrailingComma', 'singleQuote', 'isUnterminated', 'hasExtendedUnicodeEscape'],
    ['numericLiteralFlags', 'templateFlags', 'containsOnlyTriviaWhiteSpaces', 'escapedText'],
  ].flat(),
);

/** Where an identifier names a member rather than a variable, whose name is the same everywhere: the kind of its parent, and which part it is. */
const members = new Map([
  [SyntaxKind.PropertyAccessExpression, 'name'],
  [SyntaxKind.PropertyAssignment, 'name'],
  [SyntaxKind.MethodDeclaration, 'name'],
  [SyntaxKind.PropertyDeclaration, 'name'],
  [SyntaxKind.PropertySignature, 'name'],
  [SyntaxKind.MethodSignature, 'name'],
  [SyntaxKind.GetAccessor, 'name'],
  [SyntaxKind.SetAccessor, 'name'],
  [SyntaxKind.EnumMember, 'name'],
  [SyntaxKind.JsxAttribute, 'name'],
  [SyntaxKind.NamedTupleMember, 'name'],
  [SyntaxKind.MetaProperty, 'name'],
  [SyntaxKind.BindingElement, 'propertyName'],
  [SyntaxKind.ImportSpecifier, 'propertyName'],
  [SyntaxKind.QualifiedName, 'right'],
]);

/** Whether an identifier is the name of a variable, a function or a type. */
export function isVariable(node) {
  return ts.isIdentifier(node) && node.parent[members.get(node.parent.kind)] !== node;
}

/** A node without the parentheses around it. */
export function bare(node) {
  return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}

/** Visits a node and all below it. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** The names that are declared below a node: parameters, variables, functions, classes and type parameters. */
export function declaredBelow(root) {
  const names = new Set();
  ts.forEachChild(root, (top) =>
    walk(top, (node) => {
      const declares =
        ts.isParameter(node) ||
        ts.isBindingElement(node) ||
        ts.isVariableDeclaration(node) ||
        ts.isTypeParameterDeclaration(node) ||
        ts.isFunctionLike(node) ||
        ts.isClassLike(node);
      if (declares && node.name !== undefined && isVariable(node.name)) names.add(node.name.text);
    }),
  );
  return names;
}

/** What a node says: its parts by name. */
function partsOf(node) {
  const parts = Object.entries(node).filter(([key, value]) => value !== undefined && !unsaid.has(key));
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) parts.push(['text', node.text]);
  if (ts.isVariableDeclarationList(node)) parts.push(['declares', node.flags & ts.NodeFlags.BlockScoped]);
  if (ts.isJsxText(node)) return [['text', node.text.replace(/\s+/g, ' ')]];
  if (ts.isTemplateLiteralToken(node)) return [['text', node.text.replace(/\s+/g, ' ')]];
  // `{ a }` is `{ a: a }`.
  if (ts.isShorthandPropertyAssignment(node)) parts.push(['initializer', node.name]);
  if (
    ts.isBindingElement(node) &&
    node.propertyName === undefined &&
    node.dotDotDotToken === undefined &&
    ts.isIdentifier(node.name)
  )
    parts.push(['propertyName', node.name]);
  return parts;
}

/** The kind that a node is compared by. */
function kindOf(node) {
  return ts.isShorthandPropertyAssignment(node) ? SyntaxKind.PropertyAssignment : node.kind;
}

/**
 * Whether two trees say the same.
 * @param nameIn tells of an identifier of each tree whether they name the same: by default, that they are spelt alike
 */
export function isSame(left, right, nameIn = (one, other) => one.text === other.text) {
  const [one, other] = [bare(left), bare(right)];
  if (kindOf(one) !== kindOf(other)) return false;
  const parts = new Map(partsOf(other));
  const said = partsOf(one);
  if (ts.isIdentifier(one)) return nameIn(one, other);
  return (
    said.length === parts.size &&
    said.every(([key, part]) => {
      // The name of a member that is spelt once for two: as such it is the same everywhere.
      if (isMemberPart(one, key) && ts.isIdentifier(part)) return parts.get(key)?.text === part.text;
      return isSamePart(part, parts.get(key), nameIn);
    })
  );
}

function isMemberPart(node, key) {
  return members.get(kindOf(node)) === key;
}

function isSamePart(one, other, nameIn) {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, at) => isSame(each, other[at], nameIn))
    );
  }
  if (typeof one === 'object' && one !== null) {
    return typeof other === 'object' && other !== null && isSame(one, other, nameIn);
  }
  return one === other;
}
