// Writes the values of planned fields as text. Promises are waited for only where there are any.
import {
  GraphQLError,
  locatedError,
  responsePathAsArray,
  type GraphQLLeafType,
  type GraphQLResolveInfo,
  type ResponsePath,
} from 'graphql';
import { ShownFields } from '../serializers/shownFields.ts';
import type { PlannedField, Shape, WriteJson } from './plan.ts';
import type { ResultPlace, Run } from './run.ts';

/** Data as they are sent, in JSON. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

type Text = string | Promise<string>;

/** Writes an object with its fields. @throws Error of a field that must not be null */
export function writeObject(fields: readonly PlannedField[], source: unknown, run: Run, place: ResultPlace): Text {
  const text = new ResponseParts('{');
  try {
    for (const field of fields) text.add(field.lead, writeField(field, source, run, place));
  } catch (error) {
    return text.fail(error as Error);
  }
  return text.end('}');
}

function writeField(field: PlannedField, source: unknown, run: Run, parent: ResultPlace): Text {
  if (field.write) return writeAtOnce(field, field.write, source, run, parent);
  // Nothing is below a leaf: its place is made only for an error.
  const place = field.shape.of === 'leaf' ? undefined : placeOf(field, parent);
  let text: Text;
  try {
    const value = resolve(field, source, run);
    text = isPromise(value)
      ? Promise.resolve(value).then((resolved) => writeValue(field.shape, resolved, field, run, place))
      : writeValue(field.shape, value, field, run, place);
  } catch (error) {
    return refuse(error, field, field.shape, place ?? placeOf(field, parent), run);
  }
  if (typeof text === 'string') return text;
  run.countWaited();
  return text.catch((error: unknown) => refuse(error, field, field.shape, place ?? placeOf(field, parent), run));
}

function writeAtOnce(field: PlannedField, write: WriteJson, source: unknown, run: Run, parent: ResultPlace): string {
  try {
    return write(source, run.context);
  } catch (error) {
    return refuse(error, field, field.shape, placeOf(field, parent), run);
  }
}

/** Resolvers that take it are not planned. */
const noInfo = {} as GraphQLResolveInfo;

/** The value of a field: what its resolver returns or, as graphql-js has it, the member of its name. */
function resolve(field: PlannedField, source: unknown, run: Run): unknown {
  const { name, resolve: own } = field.definition;
  const { context } = run;
  const given = run.readArguments(field);
  if (own) return own(source, given, context, noInfo);
  if (typeof source !== 'object' || source === null) return undefined;
  const member = (source as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'function' ? (member.call(source, given, context, noInfo) as unknown) : member;
}

function writeValue(shape: Shape, value: unknown, field: PlannedField, run: Run, place: ResultPlace): Text {
  if (value === null || value === undefined) {
    if (shape.isNullable) return 'null';
    throw new Error(`Cannot return null for non-nullable field ${schemaCoordinate(field)}.`);
  }
  if (value instanceof Error) throw value;
  if (shape.of === 'leaf') return writeLeaf(shape.type, value);
  return shape.of === 'list'
    ? writeList(shape.item, value, field, run, place)
    : writeObject(shape.fields, value, run, place);
}

function writeList(shape: Shape, value: unknown, field: PlannedField, run: Run, place: ResultPlace): Text {
  if (!isIterable(value))
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${schemaCoordinate(field)}".`);
  const items: readonly unknown[] = Array.isArray(value) ? value : [...value];
  const text = new ResponseParts('[');
  let isHandled = false;
  const writeFrom = (start: number): Text => {
    try {
      for (let index = start; index < items.length; index += 1) {
        if (run.mustPause) return writeLater(index);
        const at = { prev: place, key: index, typename: undefined };
        text.add(index === 0 ? '' : ',', writeItem(shape, items[index], field, run, at));
      }
    } catch (error) {
      return text.fail(error as Error);
    }
    return text.end(']');
  };
  const writeLater = async (start: number): Promise<string> => {
    if (!isHandled) handleLater(items.slice(start));
    isHandled = true;
    await text.settle();
    await run.pause();
    return writeFrom(start);
  };
  return writeFrom(0);
}

/**
 * Promises among items that are written later may fail before that: without a handler such a failure would end the process. Inside of
 * items there are none: their members are values, or functions that are called when they are written.
 */
function handleLater(items: readonly unknown[]): void {
  for (const item of items) if (isPromise(item)) item.then(undefined, () => undefined);
}

function writeItem(shape: Shape, item: unknown, field: PlannedField, run: Run, place: ResultPlace): Text {
  let text: Text;
  try {
    text = isPromise(item)
      ? Promise.resolve(item).then((resolved) => writeValue(shape, resolved, field, run, place))
      : writeValue(shape, item, field, run, place);
  } catch (error) {
    return refuse(error, field, shape, place, run);
  }
  return typeof text === 'string' ? text : text.catch((error: unknown) => refuse(error, field, shape, place, run));
}

/** @throws Error if the value is not one of the type */
function writeLeaf(type: GraphQLLeafType, value: unknown): string {
  const serialized: unknown = type.serialize(value);
  if (serialized instanceof ShownFields) return serialized.json;
  if (serialized === null || serialized === undefined) {
    throw new Error(`The type ${type.name} must not serialize a value as ${String(serialized)}.`);
  }
  return JSON.stringify(serialized);
}

/** What an error leaves of a value: null if it may be null. @throws GraphQLError otherwise, for the value around it */
function refuse(error: unknown, { nodes }: PlannedField, { isNullable }: Shape, place: ResultPlace, run: Run): string {
  const located = locatedError(error, nodes, place && responsePathAsArray(place));
  if (!isNullable) throw located;
  run.addError(located, place);
  return 'null';
}

/** The parts of an object or a list: one text until there is a promise among them. */
class ResponseParts {
  #text: string;
  #parts: Promise<string>[] | null = null;

  constructor(start: string) {
    this.#text = start;
  }

  add(lead: string, part: Text): void {
    if (typeof part === 'string') {
      this.#text += lead + part;
      return;
    }
    (this.#parts ??= []).push(Promise.resolve(this.#text + lead), part);
    this.#text = '';
  }

  /** Waits for the parts that there are, and joins them. @throws the error of one of them */
  async settle(): Promise<void> {
    if (this.#parts === null) return;
    const parts = await Promise.all(this.#parts);
    this.#text = parts.join('') + this.#text;
    this.#parts = null;
  }

  end(last: string): Text {
    const text = this.#text + last;
    return this.#parts === null ? text : Promise.all(this.#parts).then((parts) => parts.join('') + text);
  }

  /** Ends with an error of one part, once the other parts are done: nobody else would handle their errors. */
  fail(error: Error): Promise<string> {
    if (this.#parts === null) throw error;
    return Promise.all(this.#parts).finally(() => {
      throw error;
    }) as Promise<never>;
  }
}

function placeOf({ key, parent }: PlannedField, prev: ResultPlace): ResponsePath {
  return { prev, key, typename: parent.name };
}

function schemaCoordinate({ parent, definition }: PlannedField): string {
  return `${parent.name}.${definition.name}`;
}

/** Whether a value is a promise, of whatever library. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
