// The text of HTML, for places that show one line of it.

/** More than this of a text is not looked at: a cell shows a few lines. */
const maxLength = 4_000;

/** What ends a word though no space stands there. */
const breaks =
  'p, div, li, dt, dd, h1, h2, h3, h4, h5, h6, tr, td, th, br, hr, blockquote, pre, figure, figcaption, section, article';

/** The text of HTML without its tags, in one line. Nothing of it is run or loaded: it never becomes a part of the page. */
export function plainText(html: string): string {
  const { body } = new DOMParser().parseFromString(html.slice(0, maxLength), 'text/html');
  for (const silent of body.querySelectorAll('script, style, template')) silent.remove();
  for (const end of body.querySelectorAll(breaks)) end.after(' ');
  return body.textContent.replace(/\s+/g, ' ').trim();
}
