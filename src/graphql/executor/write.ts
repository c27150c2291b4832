// Writes the values of planned fields as text. It waits for promises only if there are any.
import { GraphQLError, locatedError, responsePathAsArray, type ResponsePath } from 'graphql';
import type { PlannedField, Shape } from './plan.ts';
import type { ResultPath, Run } from './run.ts';

/** Data in JSON, ready to be sent. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

type Text = string | Promise<string>;

/** Writes an object with its fields. @throws Error of a field that must not be null */
export function writeObject(fields: readonly PlannedField[], source: unknown, run: Run, place: ResultPath): Text {
  let text = '{';
  let written = 0;
  for (const field of fields) {
    const part = writeField(field, source, run, place);
    if (typeof part !== 'string') return writeWaiting(text, part, fields.slice(written), source, run, place);
    text += field.lead + part;
    written += 1;
  }
  return text + '}';
}

/**
 * Writes the rest of an object whose next field has to wait for its value.
 * @param begun the text so far
 * @param first the awaited field
 */
function writeWaiting(
  begun: string,
  first: Promise<string>,
  fields: readonly PlannedField[],
  source: unknown,
  run: Run,
  place: ResultPath,
): Text {
  const text = new ResponseParts(begun);
  try {
    for (const [at, field] of fields.entries())
      text.add(field.lead, at === 0 ? first : writeField(field, source, run, place));
  } catch (error) {
    return text.fail(error as Error);
  }
  return text.end('}');
}

function writeField(field: PlannedField, source: unknown, run: Run, parent: ResultPath): Text {
  const { shape } = field;
  // A leaf has nothing below it: its path is made only for an error.
  const place = shape.of === 'leaf' ? undefined : placeOf(field, parent);
  let text: Text;
  try {
    if (field.write) return field.write(source, run.context);
    const value = field.resolve(source, run.readArguments(field), run.context, run.info);
    text = isPromise(value)
      ? Promise.resolve(value).then((resolved) => writeValue(shape, resolved, field, run, place))
      : writeValue(shape, value, field, run, place);
  } catch (error) {
    return refuse(error, field, shape, place ?? placeOf(field, parent), run);
  }
  if (typeof text === 'string') return text;
  run.countWaited();
  return text.catch((error: unknown) => refuse(error, field, shape, place ?? placeOf(field, parent), run));
}

function writeValue(shape: Shape, value: unknown, field: PlannedField, run: Run, place: ResultPath): Text {
  if (value === null || value === undefined) {
    if (shape.isNullable) return 'null';
    throw new Error(`Cannot return null for non-nullable field ${schemaCoordinate(field)}.`);
  }
  if (value instanceof Error) throw value;
  if (shape.of === 'leaf') return shape.write(value);
  if (shape.of === 'object') return writeObject(shape.fields, value, run, place);
  if (shape.of === 'list') return writeList(shape.item, value, field, run, place);
  throw shape.error;
}

function writeList(shape: Shape, value: unknown, field: PlannedField, run: Run, place: ResultPath): Text {
  if (!isIterable(value))
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${schemaCoordinate(field)}".`);
  const items: readonly unknown[] = Array.isArray(value) ? value : [...value];
  const text = new ResponseParts('[');
  let isHandled = false;
  const writeFrom = (start: number): Text => {
    let index = start;
    try {
      for (; index < items.length; index += 1) {
        if (run.mustPause) return writeLater(index);
        const at = { prev: place, key: index, typename: undefined };
        text.add(index === 0 ? '' : ',', writeItem(shape, items[index], field, run, at));
      }
    } catch (error) {
      handleLater(items.slice(index + 1));
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
 * Promises among items that are written later, or not any more, may fail meanwhile, without a handler. Inside of items
 * there are none: their members are values, or functions that are called when they are written.
 */
function handleLater(items: readonly unknown[]): void {
  for (const item of items) if (isPromise(item)) item.then(undefined, () => undefined);
}

function writeItem(shape: Shape, item: unknown, field: PlannedField, run: Run, place: ResultPath): Text {
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

/**
 * The rest of a value after an error: null if it may be null. @throws GraphQLError otherwise, for the value around it
 */
function refuse(error: unknown, { nodes }: PlannedField, { isNullable }: Shape, place: ResultPath, run: Run): string {
  run.own(error);
  const located = locatedError(error, nodes, place && responsePathAsArray(place));
  if (!isNullable) throw located;
  run.addError(located, place);
  return 'null';
}

/** The parts of an object or a list: one text until there is a promise among them. */
class ResponseParts {
  /** The text behind the last promise. */
  #text: string;
  readonly #waited: Promise<string>[] = [];
  /** The text before each of the promises. */
  readonly #before: string[] = [];

  constructor(start: string) {
    this.#text = start;
  }

  add(lead: string, part: Text): void {
    if (typeof part === 'string') {
      this.#text += lead + part;
      return;
    }
    this.#before.push(this.#text + lead);
    this.#waited.push(part);
    this.#text = '';
  }

  /** Waits for the existing parts, and joins them. @throws the error of one of them */
  async settle(): Promise<void> {
    if (this.#waited.length === 0) return;
    this.#text = this.#join(await Promise.all(this.#waited));
    this.#before.length = this.#waited.length = 0;
  }

  end(last: string): Text {
    this.#text += last;
    const [first, second] = this.#waited;
    if (first === undefined) return this.#text;
    // Most documents have one field at their top, and wait for nothing else.
    if (second === undefined) return first.then((part) => this.#join([part]));
    return Promise.all(this.#waited).then((parts) => this.#join(parts));
  }

  #join(parts: readonly string[]): string {
    return parts.map((part, at) => `${this.#before[at]}${part}`).join('') + this.#text;
  }

  /** Ends with an error of one part, once the other parts are done: their errors would have no handler. */
  fail(error: Error): Promise<string> {
    if (this.#waited.length === 0) throw error;
    return Promise.all(this.#waited).finally(() => {
      throw error;
    }) as Promise<never>;
  }
}

function placeOf({ key, parent }: PlannedField, prev: ResultPath): ResponsePath {
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
