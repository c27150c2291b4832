// Splits a script of SQL into its statements. Pure.

/** Matches the constructs that may contain a semicolon: strings, names, bodies of functions, and comments. */
const quoted = new RegExp(
  [
    String.raw`\b[eE]'(?:[^'\\]|\\.|'')*'`,
    `'(?:[^']|'')*'`,
    `"(?:[^"]|"")*"`,
    String.raw`(?<![\w$])\$(?<tag>(?:[A-Za-z_]\w*)?)\$.*?\$\k<tag>\$`,
    '--[^\n]*',
    String.raw`/\*.*?\*/`,
  ].join('|'),
  'gsy',
);

/**
 * Splits a script into its statements, without empty ones. Comments stay with the statement after them. Bodies of
 * functions have to be quoted: `BEGIN ATOMIC` and nested comments are not supported.
 */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let [begin, at, isEmpty] = [0, 0, true];
  const end = (): void => {
    if (!isEmpty) statements.push(script.slice(begin, at).trim());
    begin = at + 1;
    isEmpty = true;
  };
  while (at < script.length) {
    quoted.lastIndex = at;
    const [text] = quoted.exec(script) ?? [];
    const character = script.charAt(at);
    if (text === undefined && character === ';') end();
    else if (!/^(?:--|\/\*)/.test(text ?? '') && /\S/.test(character)) isEmpty = false;
    at += text?.length ?? 1;
  }
  end();
  return statements;
}
