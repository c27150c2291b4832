// Holds an exchange to an OpenAPI document, both ways: an answer must have what the document says, and nothing that it does not
// say; a request that succeeds must be one that the document describes. Pure.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Exchange } from '../watch/exchange.mjs';
import { queryFindings, typed, type Json, type Validate } from './query.ts';

interface Operation {
  readonly security?: readonly Json[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { schema: Json }>> };
  readonly responses: Readonly<Record<string, Json>>;
}

interface Answer {
  readonly headers?: Readonly<Record<string, Json>>;
  readonly content?: Readonly<Record<string, { schema: Json }>>;
}

interface PathItem {
  readonly parameters?: readonly Json[];
  readonly [method: string]: unknown;
}

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** The headers that a document describes, as opposed to those of the protocol, of browsers' security and of older clients. */
const describedHeader =
  /^(?:x-(?:request-id|page|per-page|next-cursor|total-.*)|etag|link|location|retry-after|ratelimit(?:-policy)?|idempotent-replayed|preference-applied|www-authenticate|accept-patch)$/i;

/** One document, ready to hold exchanges to. Its schemas are compiled when they are first needed. */
export class DocumentCheck {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true, logger: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  /** @param text the document in JSON */
  constructor(text: string) {
    const document = JSON.parse(
      text.replaceAll('"$ref":"#/components/schemas/', '"$ref":"doc#/components/schemas/'),
    ) as Document;
    formats.default(this.#ajv);
    this.#document = closed(document) as Document;
    this.#ajv.addSchema({ components: { schemas: this.#document.components['schemas'] } }, 'doc');
  }

  /**
   * What is wrong with an exchange, in words.
   * @param path the path of the request as the document names it, without its query
   */
  findingsIn(exchange: Exchange, path: string): string[] {
    const { method, status } = exchange;
    const item = this.#findPath(path);
    const operation = item?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()] as Operation | undefined;
    if (item === undefined || operation === undefined) {
      // A path answers OPTIONS to everybody, also where the document leaves it out because its caller may not use it.
      if (method === 'OPTIONS' && (item !== undefined || status === 204)) return [];
      if (status < 400) return ['is not described'];
      return isPageOfMissing(exchange) ? [] : this.#bodyFindings({ $ref: this.#schema('Problem') }, exchange);
    }
    const answer = this.#resolve(operation.responses[String(status)]) as Answer | undefined;
    if (answer === undefined) return [`the status ${status} is not described`];
    return [
      ...this.#headerFindings(answer, exchange),
      ...this.#answerFindings(answer, exchange),
      // Probes ignore what else is sent.
      ...(status < 400 && !isOpen(operation) ? this.#requestFindings(item, operation, exchange, path) : []),
    ];
  }

  #schema(name: string): string {
    return `doc#/components/schemas/${name}`;
  }

  /** The item of a path: one that is spelled out goes before one with parameters. */
  #findPath(path: string): PathItem | undefined {
    const exact = this.#document.paths[path];
    if (exact !== undefined) return exact;
    const fitting = Object.keys(this.#document.paths).filter((each) =>
      new RegExp(`^${each.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    const parameters = (each: string): number => each.split('{').length;
    const [best] = fitting.sort((one, other) => parameters(one) - parameters(other));
    return best === undefined ? undefined : this.#document.paths[best];
  }

  /** What a reference to a component stands for. */
  #resolve(value: unknown): Json | undefined {
    const reference = (value as Json | undefined)?.['$ref'];
    if (typeof reference !== 'string') return value as Json | undefined;
    const [kind = '', name = ''] = reference.replace(/^#\/components\//, '').split('/');
    return this.#document.components[kind]?.[name];
  }

  #validate(schema: unknown, value: unknown, what: string): string[] {
    const key = JSON.stringify(schema);
    const validate = this.#compiled.get(key) ?? this.#ajv.compile(schema as Json);
    this.#compiled.set(key, validate);
    if (validate(value)) return [];
    return [
      `${what} does not fit: ${this.#ajv.errorsText(validate.errors)} ${JSON.stringify(validate.errors?.[0]?.params)}`,
    ];
  }

  #headerFindings({ headers = {} }: Answer, exchange: Exchange): string[] {
    const known = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
    return exchange.headers
      .filter(([name]) => describedHeader.test(name))
      .flatMap(([name, value]) => {
        const header = this.#resolve(known.get(name.toLowerCase()));
        if (header === undefined) return [`the header ${name} is not described`];
        return this.#validate(header['schema'], typed(header['schema'], value), `the header ${name}`);
      });
  }

  #answerFindings({ content }: Answer, exchange: Exchange): string[] {
    if (exchange.method === 'HEAD') return [];
    if (content === undefined) return exchange.body === '' ? [] : ['a body that is not described'];
    const type = headerIn(exchange.headers, 'content-type').split(';', 1)[0] ?? '';
    const schema = content[type]?.schema;
    if (schema === undefined) return [`the type ${type} is not described`];
    if (!type.endsWith('json')) return this.#validate(schema, exchange.body, 'the answer');
    return this.#bodyFindings(schema, exchange);
  }

  #bodyFindings(schema: Json, exchange: Exchange): string[] {
    if (exchange.method === 'HEAD') return [];
    const value: unknown = JSON.parse(exchange.body);
    const findings = this.#validate(schema, value, 'the answer');
    if (findings.length > 0 || exchange.status >= 300 || hasParameter(exchange.url, 'only')) return findings;
    // Without `only` every entry is whole; only an update may show less of one.
    const own = JSON.stringify(schema);
    const whole = exchange.method === 'GET' ? own.replace(/EntryMembers"/, 'Entry"') : own;
    return whole === own ? [] : this.#validate(JSON.parse(whole), value, 'the whole entry');
  }

  #requestFindings(
    item: PathItem,
    { parameters = [], requestBody }: Operation,
    exchange: Exchange,
    path: string,
  ): string[] {
    const all = [...(item.parameters ?? []), ...parameters].map((each) => this.#resolve(each) ?? {});
    const header = (name: string): string => headerIn(exchange.requestHeaders, name);
    const missing = all
      .filter((each) => each['in'] === 'header' && each['required'] === true && header(String(each['name'])) === '')
      .map((each) => `the request lacks the header ${String(each['name'])}`);
    return [...missing, ...this.#queryFindings(all, exchange, path), ...this.#sentFindings(requestBody, exchange)];
  }

  #queryFindings(all: readonly Json[], { url }: Exchange, path: string): string[] {
    const validate: Validate = (schema, value, what) => this.#validate(schema, value, what);
    const [, channel = ''] = /^\/channels\/([^/]+)\//.exec(path) ?? [];
    const schemas = this.#document.components['schemas'] ?? {};
    const own = {
      entry: schemas[`${channel}.EntryMembers`] ?? schemas['EntryMembers'],
      include: schemas[`${channel}.Include`],
    };
    return queryFindings(
      all.filter((each) => each['in'] === 'query'),
      new URLSearchParams(queryIn(url)),
      { validate, own },
    );
  }

  #sentFindings(requestBody: Operation['requestBody'], exchange: Exchange): string[] {
    const { requestBody: text, requestHeaders, body } = exchange;
    if (requestBody === undefined) return [];
    if (text === '') return requestBody.required === true ? ['the request has no body'] : [];
    const type = (headerIn(requestHeaders, 'content-type').split(';', 1)[0] ?? '').trim().toLowerCase();
    const schema = requestBody.content[type]?.schema;
    if (schema === undefined) return [`the type ${type} of the request is not described`];
    // Compressed bodies are not read here.
    if (headerIn(requestHeaders, 'content-encoding') !== '') return [];
    const sent = JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
    const done = accepted(sent, body);
    const findings = this.#validate(schema, done, 'the request');
    // The words of management are taken in any letter case, of which the document names two; and texts of one line in any
    // normalization form, of which the document describes form C.
    const isTaken = (form: unknown): boolean => this.#validate(schema, form, '').length === 0;
    return findings.length > 0 && [inLowerCase(done), inFormC(done)].some(isTaken) ? [] : findings;
  }
}

/** Whether an operation takes no token at all. */
function isOpen({ security }: Operation): boolean {
  return security?.length === 0;
}

/** What was sent, without the operations of a bulk request that were refused. */
function accepted(sent: Json, answer: string): unknown {
  const { operations } = sent;
  if (!Array.isArray(operations)) return sent;
  const { results } = JSON.parse(answer) as { results?: { status: number }[] };
  const done = operations.filter((_each, index) => (results?.[index]?.status ?? 400) < 400);
  return done.length === 0 ? { ...sent, operations: [{ op: 'delete', id: 'any' }] } : { ...sent, operations: done };
}

/** A value whose texts are in lower case; names stay as they are, the name of a type among them. */
function inLowerCase(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, each: unknown) =>
    typeof each === 'string' && name !== 'typeName' && name !== 'type_name' ? each.toLowerCase() : each,
  );
}

/** A value whose texts are in Unicode normalization form C. */
function inFormC(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, each: unknown) =>
    typeof each === 'string' ? each.normalize('NFC') : each,
  );
}

/** A document whose objects take no members but those that it names: clients must ignore others, and tests must not. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  const isNamed =
    'properties' in value && !('additionalProperties' in value) && 'type' in value && value.type === 'object';
  return isNamed ? { ...copy, additionalProperties: false } : copy;
}

function headerIn(headers: Exchange['headers'], name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

function queryIn(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

function hasParameter(url: string, name: string): boolean {
  return new URLSearchParams(queryIn(url)).has(name);
}

/** Whether an answer is the page that browsers get for an address that there is not (docs/contract.md §20). */
function isPageOfMissing({ status, headers, requestHeaders, body }: Exchange): boolean {
  const isHtml = headerIn(headers, 'content-type') === 'text/html; charset=utf-8';
  return (
    status === 404 &&
    isHtml &&
    headerIn(requestHeaders, 'accept').includes('text/html') &&
    body.includes('No such page')
  );
}
