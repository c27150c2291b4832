// Redaction: tokens that turn up in an error, a log line or a URL are cut to the prefix that shows their kind.

/** The kinds of tokens, as their prefixes `ew_<kind>_` name them. */
export const tokenKinds = ['master', 'public', 'user', 'session'] as const;

/** Anything in a text that could be a token of ours, whole or cut, as it is or percent-encoded, however often. */
export const tokenPattern = new RegExp(
  `${encodable('ew_')}(${tokenKinds.map(encodable).join('|')})${encodable('_')}` +
    '(?:[0-9A-Za-z]|%(?:25)*(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])){16,}',
  'g',
);

/** A text whose tokens, wherever they stand in it, are cut to the prefix that shows their kind. */
export function withoutTokens(text: string): string {
  const plain = (kind: string): string => decodeURIComponent(kind.replace(/%(?:25)+/g, '%'));
  return text.replace(tokenPattern, (_token, kind: string) => `ew_${plain(kind)}_[redacted]`);
}

/** A pattern of a text each of whose characters may be percent-encoded, even that again. */
function encodable(text: string): string {
  const digit = (each: string): string => `[${each}${each.toUpperCase()}]`;
  const codeOf = (char: string): string => char.charCodeAt(0).toString(16).replace(/[a-f]/, digit);
  return text.replace(/./g, (char) => `(?:${char}|%(?:25)*${codeOf(char)})`);
}

/** The same, without any token: an error may name what was sent, and a token may have been sent anywhere. */
export function discreet<Value>(error: Value): Value {
  const text = JSON.stringify(error, (_name, value: unknown) =>
    typeof value === 'string' ? withoutTokens(value) : value,
  );
  return JSON.parse(text) as Value;
}
