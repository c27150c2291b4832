// The fields that a channel declares, checked (docs/contract.md §6): every error of the input in one refusal.
import { z } from 'zod';
import { isFixedField } from '../entries/members.ts';
import {
  measureOf,
  takesChannel,
  takesOptions,
  takesPattern,
  takesUnique,
  type FieldDefinition,
} from '../fields/definition.ts';
import { compilePattern, valueSchema } from '../fields/values.ts';
import { hasFiniteNumbers } from './json.ts';
import { isListParameter } from './listParameters.ts';

const mostFields = 200;
const mostOptions = 1_000;

/** Names that a list takes for something else: its parameters, and what joins conditions. */
function isReserved(name: string): boolean {
  return isListParameter(name) || name === 'and' || name === 'or' || name === 'not';
}

const options = z
  .array(z.string().min(1, 'must not be empty').max(255, 'has at most 255 characters'))
  .min(1, 'must not be empty')
  .max(mostOptions, `holds at most ${mostOptions}`)
  .refine((values) => new Set(values).size === values.length, 'must not hold one twice');

const members = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and "_", a letter first, at most 63')
    .refine((name) => !isFixedField(name), 'is the name of a fixed field')
    .refine((name) => !isReserved(name), 'is the name of a parameter of lists'),
  type: z.string(),
  label: z.string().max(255, 'has at most 255 characters').nullish(),
  hint: z.string().max(1_000, 'has at most 1,000 characters').nullish(),
  required: z.boolean().nullish(),
  unique: z.boolean().nullish(),
  indexed: z.boolean().nullish(),
  default: z.unknown().optional(),
  options: options.nullish(),
  channel: z.string().nullish(),
  min: z.number().nullish(),
  max: z.number().nullish(),
  pattern: z.string().max(500, 'has at most 500 characters').nullish(),
});

/** The definition that an input stands for. What goes with another type, or does not fit the rest, is told of. */
const definition = members
  .transform((input): FieldDefinition => ({
    name: input.name,
    type: input.type as FieldDefinition['type'],
    label: input.label ?? null,
    hint: input.hint ?? null,
    required: input.required ?? false,
    unique: input.unique ?? false,
    indexed: input.indexed ?? false,
    default: input.default ?? null,
    options: input.options ?? null,
    channel: input.channel ?? null,
    min: input.min ?? null,
    max: input.max ?? null,
    pattern: input.pattern ?? null,
  }))
  .superRefine((field, context) => {
    const found = misfits(field);
    for (const [path, message] of found) context.addIssue({ code: 'custom', path: [path], message });
    // What the value would be held against has to be sound first.
    if (found.length > 0 || field.default === null) return;
    const { error } = valueSchema(field).safeParse(field.default);
    const message = hasFiniteNumbers(field.default) ? error?.issues[0]?.message : 'holds a number too large to store';
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['default'], message });
  });

/** The schema of a channel's fields, as an input gives them. Its output is what is stored. */
export const fieldsInput = z
  .array(definition, 'must not be null')
  .max(mostFields, `holds at most ${mostFields} fields`)
  .superRefine((fields, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of fields.entries()) {
      if (names.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is declared twice' });
      names.add(name);
    }
  });

type Misfit = readonly [member: keyof FieldDefinition, message: string];

/** The members of a definition that do not go together. */
function misfits(field: FieldDefinition): Misfit[] {
  const { type, min, max } = field;
  const measure = measureOf(type);
  const goesWith = (member: keyof FieldDefinition, is: boolean, types: string): Misfit[] =>
    is || field[member] === null ? [] : [[member, `goes with ${types} alone`]];
  const found: Misfit[] = [
    ...goesWith('options', takesOptions(type), 'selects'),
    ...goesWith('channel', takesChannel(type), 'references'),
    ...goesWith('min', measure !== null, 'numbers, texts and lists'),
    ...goesWith('max', measure !== null, 'numbers, texts and lists'),
    ...goesWith('pattern', takesPattern(type), 'strings, emails and URLs'),
  ];
  if (field.unique && !takesUnique(type)) found.push(['unique', 'goes with texts, numbers, dates and times alone']);
  if (takesChannel(type) && field.channel === null) found.push(['channel', 'is needed by a reference']);
  // Who may read an entry depends on who writes: a default that all writers may refer to is seldom one.
  if (takesChannel(type) && field.default !== null) found.push(['default', 'goes with no reference']);
  if (takesOptions(type) && field.options === null) found.push(['options', 'are needed by a select']);
  if (min !== null && max !== null && min > max) found.push(['max', 'must not be less than min']);
  for (const [member, bound] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (bound === null || measure === null || measure === 'value') continue;
    if (!Number.isInteger(bound) || bound < 0) found.push([member, `must be a whole number of ${measure}`]);
  }
  return [...found, ...ofPattern(field.pattern)];
}

function ofPattern(pattern: string | null): Misfit[] {
  if (pattern === null) return [];
  try {
    compilePattern(pattern);
    return [];
  } catch {
    return [['pattern', 'must be a regular expression of RE2: without look-around and back-references']];
  }
}
