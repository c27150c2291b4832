// PostgreSQL's text → tokens, with what stands in parentheses or brackets as one group: the little that the judge needs of its
// grammar. A token is { kind, text }, where kind is `word`, `parameter`, `literal`, `operator` or `group`. A word that was not
// quoted is `bare`, and its text in lower case.

/** What a text can't be: an open quote or parenthesis, say. */
export class NotSql extends Error {}

const skipped = /(?:\s+|--[^\n]*)+/y;
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const parameter = /\$\d+/y;
const quotedWord = /"((?:[^"]|"")*)"/y;
const plainString = /(?:[bx])?'(?:[^']|'')*'/iy;
const escapeString = /e'(?:[^'\\]|''|\\[^])*'/iy;
const dollarQuote = /\$([A-Za-z_]\w*)?\$/y;
const operator = /::|[-+*/<>=~!@#%^&|`?]+|[:.,;]/y;
const closers = { '(': ')', '[': ']' };

/** The tokens of a text, grouped: { kind: 'group', open, items }. @throws {NotSql} */
export function readTokens(text) {
  const top = [];
  const open = [{ items: top, close: null }];
  for (const token of flatTokens(text)) {
    const here = open.at(-1);
    if (token.kind === 'open') {
      const group = { kind: 'group', open: token.text, items: [] };
      here.items.push(group);
      open.push({ items: group.items, close: closers[token.text] });
    } else if (token.kind === 'close') {
      if (here.close !== token.text) throw new NotSql(`"${token.text}" closes nothing`);
      open.pop();
    } else here.items.push(token);
  }
  if (open.length > 1) throw new NotSql(`"${open.at(-1).close}" is missing`);
  return top;
}

function* flatTokens(text) {
  for (let at = 0; ;) {
    at = afterSpace(text, at);
    if (at >= text.length) return;
    const { token, end } = tokenAt(text, at);
    yield token;
    at = end;
  }
}

function tokenAt(text, at) {
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const found = (kind, [all], value = all) => ({ token: { kind, text: value }, end: at + all.length });
  const char = text[at];
  if (char === '(' || char === '[') return found('open', [char]);
  if (char === ')' || char === ']') return found('close', [char]);
  let m;
  if ((m = match(escapeString)) ?? (m = match(plainString))) return found('literal', m);
  if ((m = match(quotedWord))) return found('word', m, m[1].replaceAll('""', '"'));
  if ((m = match(parameter))) return found('parameter', m);
  if ((m = match(dollarQuote))) return dollarString(text, at, m[0]);
  if ((m = match(word)))
    return { token: { kind: 'word', text: m[0].toLowerCase(), bare: true }, end: at + m[0].length };
  if ((m = match(number))) return found('literal', m);
  if ((m = match(operator))) return operatorAt(at, m[0]);
  throw new NotSql(`"${text.slice(at, at + 20)}" is not understood`);
}

/** A comment may begin where an operator seems to go on. */
function operatorAt(at, all) {
  const comment = /.(?=--|\/\*)/.exec(all);
  const text = comment ? all.slice(0, comment.index + 1) : all;
  return { token: { kind: 'operator', text }, end: at + text.length };
}

function dollarString(text, at, tag) {
  const end = text.indexOf(tag, at + tag.length);
  if (end < 0) throw new NotSql(`${tag} is not closed`);
  return { token: { kind: 'literal', text: text.slice(at, end + tag.length) }, end: end + tag.length };
}

/** Behind white space and comments; those in asterisks nest. */
function afterSpace(text, start) {
  let at = start;
  for (;;) {
    skipped.lastIndex = at;
    if (skipped.test(text)) at = skipped.lastIndex;
    if (!text.startsWith('/*', at)) return at;
    at = afterComment(text, at);
  }
}

function afterComment(text, start) {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found; (found = mark.exec(text));) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  throw new NotSql('a comment is not closed');
}

/** Whether a token is one of these unquoted words. */
export function isWord(token, ...words) {
  return token?.kind === 'word' && token.bare === true && words.includes(token.text);
}

/** Whether a token is this operator or sign. */
export function isSign(token, sign) {
  return token?.kind === 'operator' && token.text === sign;
}

/** Whether a token is a group in parentheses. */
export function isGroup(token) {
  return token?.kind === 'group' && token.open === '(';
}

/** The parts of a list of tokens between those that `separates(tokens, index)` marks. */
export function split(tokens, separates) {
  const parts = [[]];
  tokens.forEach((token, index) => {
    if (separates(token, index)) parts.push([]);
    else parts.at(-1).push(token);
  });
  return parts;
}
