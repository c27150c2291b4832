// Scans the members of a JSON object without parsing it: most answers pass stored values on unchanged.

const blank = 32;
const quote = 34;
const backslash = 92;
const comma = 44;
const openingBrace = 123;
const closingBrace = 125;
const openingBracket = 91;
const closingBracket = 93;

/** Lists the names of an object's members, as they are written. @param json an object as PostgreSQL writes it */
export function topLevelNames(json: string): string[] {
  const names: string[] = [];
  let at = json.indexOf('"');
  while (at !== -1) {
    const end = endOfString(json, at);
    names.push(json.slice(at + 1, end));
    at = json.indexOf('"', endOfValue(json, end + 1));
  }
  return names;
}

/** Counts an object's members. @param json an object as PostgreSQL writes it */
export function countTopLevelNames(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at !== -1; count += 1) {
    at = json.indexOf('"', endOfValue(json, endOfString(json, at) + 1));
  }
  return count;
}

/**
 * Maps the names of an object's members, as they are written, to their values in JSON.
 * @param json an object as PostgreSQL writes it
 */
export function topLevelMembers(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = json.indexOf('"');
  while (at !== -1) {
    const end = endOfString(json, at);
    const colon = end + 1;
    const start = json.charCodeAt(colon + 1) === blank ? colon + 2 : colon + 1;
    const behind = endOfValue(json, start);
    members.set(json.slice(at + 1, end), json.slice(start, behind));
    at = json.indexOf('"', behind);
  }
  return members;
}

/** Finds the closing quote of the string that begins at an index. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  throw new Error('A string does not end.');
}

/** Finds the end of a value: the comma or the brace behind it. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code === openingBrace || code === openingBracket) depth += 1;
    else if (depth === 0 && (code === comma || code === closingBrace)) return at;
    else if (code === closingBrace || code === closingBracket) depth -= 1;
  }
  return json.length;
}
