// Makes a request that was answered wrongly as small as it gets: leaves out one thing after another, as long as the
// answer stays wrong in the same way.
import { Kind, parse, print, visit, type ASTNode, type DocumentNode } from 'graphql';
import { bytesOf, type Wire } from './request.ts';

/** How many requests it may take. */
const mostTries = 120;

/** The smallest request found that `isWrong` still holds for. */
export async function minimise(wire: Wire, isWrong: (wire: Wire) => Promise<boolean>): Promise<Wire> {
  let smallest = wire;
  let tries = 0;
  for (let found = true; found && tries < mostTries;) {
    found = false;
    for (const candidate of smallerThan(smallest)) {
      if ((tries += 1) > mostTries) break;
      if (!(await isWrong(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(wire: Wire): Generator<Wire> {
  const { raw, headers, target, body } = wire;
  if (raw !== undefined) {
    for (const text of shorter(raw)) yield { ...wire, raw: text };
    return;
  }
  const half = Math.ceil(headers.length / 2);
  if (half > 4) yield* [headers.slice(half), headers.slice(0, half)].map((some) => ({ ...wire, headers: some }));
  for (const index of headers.keys()) yield { ...wire, headers: headers.toSpliced(index, 1) };
  const [path = '', query] = target.split('?', 2);
  const parameters = query?.split('&') ?? [];
  for (const index of parameters.keys()) {
    const rest = parameters.toSpliced(index, 1);
    yield { ...wire, target: rest.length === 0 ? path : `${path}?${rest.join('&')}` };
  }
  if (body === null) return;
  yield { ...wire, body: null };
  const value = parsedJson(body);
  if (value === undefined) {
    for (const text of shorter(body)) yield { ...wire, body: text };
    return;
  }
  for (const smaller of smallerValues(value)) yield { ...wire, body: bytesOf(JSON.stringify(smaller)) };
}

function parsedJson(body: string): unknown {
  try {
    const text = Buffer.from(body, 'latin1').toString();
    const value = JSON.parse(text) as unknown;
    // What would be lost on the way is cut as text.
    return text.includes('1e') || text.includes('__proto__') || text.length > 20_000 ? undefined : value;
  } catch {
    return undefined;
  }
}

function* shorter(text: string): Generator<string> {
  for (
    let length = Math.floor(text.length / 2);
    length >= Math.max(4, text.length / 16);
    length = Math.floor(length / 2)
  ) {
    for (let at = 0; at < text.length; at += length) yield text.slice(0, at) + text.slice(at + length);
  }
}

/** Each value with one thing less, the greatest things first. */
function* smallerValues(value: unknown): Generator {
  if (typeof value === 'string') {
    const document = parsedDocument(value);
    if (document !== null) yield* smallerDocuments(document);
    else if (value.length > 8) yield value.slice(0, Math.floor(value.length / 2));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (Array.isArray(value)) yield value.toSpliced(Number(key), 1);
    else yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  }
  for (const [key, member] of Object.entries(value)) {
    for (const smaller of smallerValues(member)) {
      yield Array.isArray(value) ? value.with(Number(key), smaller) : { ...value, [key]: smaller };
    }
  }
}

function parsedDocument(text: string): DocumentNode | null {
  if (!text.includes('{')) return null;
  try {
    return parse(text, { noLocation: true });
  } catch {
    return null;
  }
}

const removable: readonly string[] = [
  ...[Kind.OPERATION_DEFINITION, Kind.FRAGMENT_DEFINITION, Kind.FIELD, Kind.INLINE_FRAGMENT, Kind.FRAGMENT_SPREAD],
  ...[Kind.DIRECTIVE, Kind.ARGUMENT, Kind.VARIABLE_DEFINITION, Kind.OBJECT_FIELD],
];

function* smallerDocuments(document: DocumentNode): Generator<string> {
  let count = 0;
  visit(document, { enter: (node: ASTNode) => void (count += removable.includes(node.kind) ? 1 : 0) });
  for (let index = 0; index < count; index += 1) {
    let left = index;
    const smaller = visit(document, {
      enter: (node: ASTNode) => {
        if (!removable.includes(node.kind)) return undefined;
        left -= 1;
        return left === -1 ? null : undefined;
      },
    });
    yield print(smaller);
  }
}
