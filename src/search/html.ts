// Extracts the text of an HTML fragment for full-text search: roughly the text that a browser would show.
//
// It uses htmlparser2's tokenizer alone. The parser would also keep a stack of open elements, which no rule here needs
// and which takes quadratic time on hostile input (a mebibyte of `<b>`, or of end tags that match nothing).
import { Tokenizer } from 'htmlparser2';

/** Elements whose content a browser does not show. */
const hiddenElements = new Set(['script', 'style', 'template']);

/** Elements that may stand inside a word. The tags of all other elements separate words. */
const inlineElements = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
);

/** Tokens that leave no text: attributes, comments, declarations, and the ends of tags that were read by their name. */
const ignore = (): void => undefined;
const ignoredTokens = {
  onattribname: ignore,
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,

  oncomment: ignore,
  oncdata: ignore,
  ondeclaration: ignore,
  onprocessinginstruction: ignore,

  onopentagend: ignore,
  onselfclosingtag: ignore,
  onend: ignore,
};

/**
 * Extracts the text of an HTML fragment: without tags, comments and hidden elements, with character references decoded.
 * Takes time linear in the fragment's length, whatever it holds.
 */
export function extractHtmlText(html: string): string {
  const parts: string[] = [];
  /** The hidden element that encloses the current token; elements of the same name may be nested in it. */
  let hidden: { readonly name: string; depth: number } | null = null;
  const readTag = (start: number, end: number): string => {
    const name = html.slice(start, end).toLowerCase();
    if (!inlineElements.has(name)) parts.push(' ');
    return name;
  };
  const tokenizer = new Tokenizer(
    {},
    {
      ...ignoredTokens,
      ontext: (start, end) => {
        if (hidden === null) parts.push(html.slice(start, end));
      },
      ontextentity: (codePoint) => {
        if (hidden === null) parts.push(String.fromCodePoint(codePoint));
      },
      onopentagname: (start, end) => {
        const name = readTag(start, end);
        if (hidden?.name === name) hidden.depth += 1;
        else if (hiddenElements.has(name)) hidden ??= { name, depth: 1 };
      },
      onclosetag: (start, end) => {
        if (hidden?.name !== readTag(start, end)) return;
        hidden.depth -= 1;
        if (hidden.depth === 0) hidden = null;
      },
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return parts.join('');
}
