// Redacts tokens in errors, log lines and URLs: only the prefix that shows the kind remains.

/**
 * The kinds of tokens, as their prefixes `ew_<kind>_` name them: access tokens, those of customers' sessions, and those of the console,
 * which are two cookies and links that set a password (docs/contract.md §14.8).
 */
export const tokenKinds = ['master', 'public', 'user', 'session', 'signin', 'browser', 'link'] as const;

/** Matches tokens, whole or truncated, in plain text or percent-encoded any number of times. */
export const tokenPattern = new RegExp(
  `${matchEncoded('ew_')}(${tokenKinds.map(matchEncoded).join('|')})${matchEncoded('_')}` +
    '(?:[0-9A-Za-z]|%(?:25)*(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])){16,}',
  'g',
);

/** Redacts the tokens in a text. */
export function redactTokens(text: string): string {
  const decode = (kind: string): string => decodeURIComponent(kind.replace(/%(?:25)+/g, '%'));
  return text.replace(tokenPattern, (_token, kind: string) => `ew_${decode(kind)}_[redacted]`);
}

/** The source of a pattern that matches a text, even if some of its characters are percent-encoded, once or repeatedly. */
function matchEncoded(text: string): string {
  const digit = (each: string): string => `[${each}${each.toUpperCase()}]`;
  const hexCode = (char: string): string => char.charCodeAt(0).toString(16).replace(/[a-f]/, digit);
  return text.replace(/./g, (char) => `(?:${char}|%(?:25)*${hexCode(char)})`);
}

/** Redacts the tokens in every text of a JSON value. Errors quote requests, and a token may be anywhere in one. */
export function redactTokensIn<Value>(json: Value): Value {
  const text = JSON.stringify(json, (_name, value: unknown) =>
    typeof value === 'string' ? redactTokens(value) : value,
  );
  return JSON.parse(text) as Value;
}
