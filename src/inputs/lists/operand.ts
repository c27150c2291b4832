// Parses the operand of a comparison: a value of the field's type, or a text in a URL that stands for one.
import { z } from 'zod';
import type { ComparableField } from '../../entries/comparable.ts';
import { fail } from '../../base/errors.ts';
import { findOption } from '../../fields/options.ts';
import { inNfc } from '../../fields/text.ts';
import { timeInput } from '../../fields/time.ts';
import { hasFiniteNumbers, unstorableNumber } from '../json.ts';

const textInput = z.string('must be text');
const dateInput = z.iso.date('must be a calendar day, such as 2026-01-31');
const numberText = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/**
 * Lists the typed readings of one operand: one value of the field's type or, if the channel declares no types, one for
 * each JSON type that the text of a URL can be read as.
 * @param isText whether the operand comes from a URL and is to be read by the field's type
 * @throws bad_request if the operand is not a value of the field's type
 */
export function readOperand(
  { name, kind, isNormalized }: ComparableField,
  operand: unknown,
  isText: boolean,
): unknown[] {
  const reject = (problem: string): never =>
    fail('bad_request', `${name}: ${JSON.stringify(operand).slice(0, 100)} ${problem}.`);
  const read = (schema: z.ZodType): unknown => {
    const result = schema.safeParse(operand);
    return result.success
      ? result.data
      : reject(result.error.issues[0]?.message ?? 'does not have the type of the field');
  };
  if (!hasFiniteNumbers(operand)) {
    const errors = [{ field: name, code: 'out_of_range', message: unstorableNumber }];
    fail('bad_request', { detail: `${name}: the operand ${unstorableNumber}.`, errors });
  }
  switch (kind) {
    case 'text':
    case 'list':
      return textReadings(read(textInput) as string, isNormalized);
    case 'number':
      return [isText ? (parseNumber(operand) ?? reject('must be a number')) : read(z.number('must be a number'))];
    case 'boolean':
      return [
        isText ? (parseBoolean(operand) ?? reject('must be true or false')) : read(z.boolean('must be true or false')),
      ];
    case 'date':
      return [read(dateInput)];
    case 'time':
      return [(read(timeInput) as Date).toISOString()];
    case 'any':
      if (isText) return [operand, parseNumber(operand), parseBoolean(operand)].filter((each) => each !== null);
      return [readJson(operand, reject)];
    case 'opaque':
      if (isText) return reject('can be compared in `where` only');
      return [readJson(operand, reject)];
  }
}

/**
 * The texts that a field is compared with: the normalized form, in which the field's texts are stored, and then the
 * original, because older releases stored other forms.
 */
export function textReadings(text: string, isNormalized: boolean): string[] {
  const normalized = isNormalized ? inNfc(text) : text;
  return normalized === text ? [text] : [normalized, text];
}

/** Maximum number of options that a message names. */
const maxNamed = 30;

/**
 * Checks the operand of a comparison for equality: a value outside a closed set would match no entry, and is refused.
 * @param readings the typed readings of the operand
 * @returns the readings. The letter case of a status makes no difference
 * @throws bad_request, listing the options, if no value of the field can equal it
 */
export function readOption({ name, member, options }: ComparableField, readings: unknown[]): unknown[] {
  if (options === null) return readings;
  const text = String(readings[0]);
  if (member === 'status' && options.includes(text.toLowerCase())) return [text.toLowerCase()];
  const option = findOption(options, text);
  if (option !== undefined) return [...new Set([option, ...readings])];
  const rest = options.length > maxNamed ? `, and ${options.length - maxNamed} others` : '';
  fail(
    'bad_request',
    `${name}: ${JSON.stringify(text)} is not one of ${options.slice(0, maxNamed).join(', ')}${rest}.`,
  );
}

/** Parses the operand of `exists`. @throws bad_request if it is neither true nor false */
export function readExists(name: string, operand: unknown, isText: boolean): boolean {
  if (operand === true || (isText && operand === 'true')) return true;
  if (operand === false || (isText && operand === 'false')) return false;
  fail('bad_request', `${name}: \`exists\` takes true or false.`);
}

/** Parses the operand of `in`, `nin` and `all`. @throws bad_request if it is not a list */
export function readOperandList(name: string, operand: unknown): unknown[] {
  if (!Array.isArray(operand)) fail('bad_request', `${name}: the operator takes a list of values.`);
  return operand;
}

function readJson(operand: unknown, reject: (problem: string) => never): unknown {
  return operand !== null ? operand : reject('is not a value to compare with');
}

/** Parses a text as a number, or returns null. */
function parseNumber(text: unknown): number | null {
  if (typeof text !== 'string' || !numberText.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function parseBoolean(text: unknown): boolean | null {
  return text === 'true' ? true : text === 'false' ? false : null;
}
