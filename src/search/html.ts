// The text of an HTML fragment, for search: what a browser would show of it, roughly. One pass, whose time grows with the
// length alone, whatever is sent.
import { characterOf } from './entities.ts';

/** Elements whose content is no text. */
const hidden = new Set(['script', 'style', 'template']);
/** Elements that stand within a word: those of all others part the words around them. */
const inline = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
);

/** An HTML fragment's text: without tags, comments and the contents of scripts and styles; references are decoded. */
export function textOfHtml(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open === -1) break;
    parts.push(decode(html.slice(at, open)));
    const tag = readTag(html, open);
    parts.push(tag.text);
    at = tag.end;
  }
  parts.push(decode(html.slice(at)));
  return parts.join('');
}

interface Tag {
  /** What stands for it in the text. */
  readonly text: string;
  /** Where the text goes on. */
  readonly end: number;
}

/** What begins with `<`: a comment, a tag with what it hides, or the sign alone. */
function readTag(html: string, open: number): Tag {
  if (html.startsWith('<!--', open)) return { text: '', end: behind(html, '-->', open + 2) };
  const next = html[open + 1] ?? '';
  if (next === '!' || next === '?') return { text: '', end: behind(html, '>', open) };
  const nameAt = next === '/' ? open + 2 : open + 1;
  const name = nameIn(html, nameAt);
  if (name === '') return { text: ' ', end: open + 1 };
  const end = endOfTag(html, nameAt + name.length);
  if (next !== '/' && hidden.has(name)) return { text: ' ', end: behindElement(html, name, end) };
  return { text: inline.has(name) ? '' : ' ', end };
}

/** Behind the next `mark`; the end where there is none. */
function behind(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** The name of the element whose tag goes on here, in lower case; empty where it is no tag. */
function nameIn(html: string, at: number): string {
  const tagName = /[a-z][^\s/>]{0,31}/iy;
  tagName.lastIndex = at;
  return tagName.exec(html)?.[0].toLowerCase() ?? '';
}

/** Behind the `>` that ends a tag. One in a quoted value does not. */
function endOfTag(html: string, from: number): number {
  let isValue = false;
  for (let at = from; at < html.length; at += 1) {
    const sign = html.charAt(at);
    if (sign === '>') return at + 1;
    if (isValue && (sign === '"' || sign === "'")) at = behind(html, sign, at + 1) - 1;
    if (sign.trim() !== '') isValue = sign === '=';
  }
  return html.length;
}

/** Behind the end tag of an element; the end of all where it is not closed. */
function behindElement(html: string, name: string, from: number): number {
  const endTag = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  endTag.lastIndex = from;
  return endTag.test(html) ? endOfTag(html, endTag.lastIndex) : html.length;
}

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,15});/gi, (_all, name: string) => characterOf(name));
}
