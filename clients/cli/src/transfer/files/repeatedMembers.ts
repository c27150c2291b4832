// Finds members that an object of a JSON text has twice. Parsers keep the last of them, and lose the others without a word (RFC 8259
// §4). Pure.

interface RepeatedMember {
  readonly name: string;
  /** In which element of the outermost array it is; 0 where that is no array. */
  readonly element: number;
}

/** Strings, and what separates and encloses values. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/gs;

/** The members that stand twice in an object, at any depth. @param json a text that is JSON */
export function* repeatedMembers(json: string): Generator<RepeatedMember, void> {
  /** The names of each object around the token; null for an array. */
  const around: (Set<string> | null)[] = [];
  let [text, element] = ['', 0];
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{') around.push(new Set());
    else if (token === '[') around.push(null);
    else if (token === '}' || token === ']') around.pop();
    else if (token === ',') element += around.length === 1 && around[0] === null ? 1 : 0;
    else if (token !== ':') text = token;
    else {
      const name = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
      const names = around.at(-1);
      if (names?.has(name) === true) yield { name, element };
      names?.add(name);
    }
  }
}

/** What is wrong with an object that has a member twice. */
export function repeatedProblem(name: string): string {
  return `holds the member ${JSON.stringify(name)} twice`;
}
