// Finds a piece of text within the templates of a function, such as of SQL. What stands in `${}` is compared as code.
import ts from 'typescript';
import { findSame, knownIn, readAsCode } from './patterns.mjs';
import { walk } from './syntax.mjs';

/**
 * The places where a text stands in templates. White space counts as white space, however much of it there is.
 * @param declaration { file, source, node } of the function
 * @returns each as { from, to: where it stands in the file, names: what each variable of the pattern is called there }
 */
export function findText(declaration, pattern) {
  const [{ nodes }] = readAsCode(declaration.file, `\`${pattern}\``);
  const sought = partsOf(nodes[0]);
  const known = knownIn(declaration);
  const found = [];
  walk(declaration.node, (node) => {
    if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      found.push(...findParts(known, partsOf(node), sought));
    }
  });
  return found;
}

/** What a text becomes as a pattern in which white space counts as such. */
export function loosely(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
}

/** A template as its texts, each with where it begins, and the expressions between them. */
function partsOf(template) {
  if (!ts.isTemplateExpression(template)) return { texts: [textOf(template)], expressions: [] };
  const { head, templateSpans } = template;
  return {
    texts: [head, ...templateSpans.map(({ literal }) => literal)].map(textOf),
    expressions: templateSpans.map(({ expression }) => expression),
  };
}

function textOf(literal) {
  const from = literal.getStart() + 1;
  const endsTemplate = ts.isTemplateTail(literal) || ts.isNoSubstitutionTemplateLiteral(literal);
  return { from, text: literal.getSourceFile().text.slice(from, literal.getEnd() - (endsTemplate ? 1 : 2)) };
}

function findParts(known, { texts, expressions }, sought) {
  const count = sought.expressions.length;
  if (count === 0) {
    const shape = new RegExp(loosely(sought.texts[0].text), 'g');
    return texts.flatMap(({ from, text }) =>
      [...text.matchAll(shape)].map((match) => ({
        from: from + match.index,
        to: from + match.index + match[0].length,
        names: new Map(),
      })),
    );
  }
  return expressions.flatMap((_, at) => {
    const own = texts.slice(at, at + count + 1);
    const ends = own.length === count + 1 ? matchTexts(own, sought.texts) : null;
    const names = ends && findSame(known, sought.expressions, expressions.slice(at, at + count));
    return ends && names ? [{ ...ends, names }] : [];
  });
}

/** Where texts around expressions stand: the first at the end of its text, the last at the beginning of its own. */
function matchTexts(own, sought) {
  const last = sought.length - 1;
  const matches = own.map(({ text }, at) =>
    new RegExp(`${at === 0 ? '' : '^'}${loosely(sought[at].text)}${at === last ? '' : '$'}`).exec(text),
  );
  if (matches.includes(null)) return null;
  return { from: own[0].from + matches[0].index, to: own[last].from + matches[last][0].length };
}
