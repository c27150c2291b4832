// Character references of HTML, as far as they are parts of words: all others stand between words.

const accents: Record<string, string> = {
  ...{ grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', macr: '\u0304', breve: '\u0306' },
  ...{
    dot: '\u0307',
    uml: '\u0308',
    ring: '\u030a',
    dblac: '\u030b',
    caron: '\u030c',
    cedil: '\u0327',
    ogon: '\u0328',
  },
};

const letters: Record<string, string> = {
  ...{ szlig: 'ß', AElig: 'Æ', aelig: 'æ', OElig: 'Œ', oelig: 'œ', Oslash: 'Ø', oslash: 'ø', ETH: 'Ð', eth: 'ð' },
  ...{ THORN: 'Þ', thorn: 'þ', Lstrok: 'Ł', lstrok: 'ł', Dstrok: 'Đ', dstrok: 'đ', imath: 'ı', inodot: 'ı' },
  ...{ ordf: 'ª', ordm: 'º', sup1: '¹', sup2: '²', sup3: '³', fnof: 'ƒ', micro: 'µ', sigmaf: 'ς' },
  // These vanish within a word.
  ...{ shy: '', zwj: '', zwnj: '', lrm: '', rlm: '' },
};

const greekNames =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega';
const greekLetters = 'αβγδεζηθικλμνξοπρστυφχψω';
for (const [index, name] of greekNames.split(' ').entries()) {
  const letter = greekLetters.charAt(index);
  letters[name] = letter;
  letters[name.charAt(0).toUpperCase() + name.slice(1)] = letter.toUpperCase();
}

/** The character that a reference names, without its `&` and `;`: a space where it is none of a word. */
export function characterOf(name: string): string {
  if (name.startsWith('#')) return numbered(name);
  if (Object.hasOwn(letters, name)) return letters[name] ?? ' ';
  const accent = accents[name.slice(1)];
  return accent !== undefined && Object.hasOwn(accents, name.slice(1)) ? (name.charAt(0) + accent).normalize() : ' ';
}

function numbered(name: string): string {
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : ' ';
}
