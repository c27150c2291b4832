// Checks the fields that a channel declares: one refusal has all errors of an input (docs/contract.md §6).
import { z } from 'zod';
import { isFixedField } from '../../entries/members.ts';
import { declareField } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { isLongerThan, lineOfText, upTo } from '../../fields/text.ts';
import type { Declarable } from '../../fields/shape.ts';
import { canDeclare, fieldTypes, fieldTypesWhere, takesChannel, type FieldTypeTraits } from '../../fields/types.ts';
import { compilePattern, maxPatternSize, patternSize, takeFreely } from '../../fields/patterns.ts';
import { checkValue } from '../../fields/values.ts';
import { hasFiniteNumbers, isObject, unstorableNumber } from '../../inputs/json.ts';
import { listParameters } from '../../inputs/lists/listParameters.ts';
import { inEitherCase, wrongType } from '../../inputs/sent.ts';
import { definedRules, findRuleMisfits, rulesInput } from './fieldRules.ts';

/** Maximum number of fields in a channel. */
export const maxFields = 200;
const maxOptions = 1_000;
/** Maximum size of a channel's definitions, in bytes of JSON: each process caches those of many channels. */
const maxDefinitionBytes = 262_144;
const maxPatternLength = 500;
const maxMessageLength = 255;

/** Names with another meaning in a list: its parameters, and the words that join conditions. */
const reservedNames: readonly string[] = [...listParameters, 'and', 'or', 'not'];

const optionsInput = z
  .array(upTo(lineOfText(), 255).min(1, 'must not be empty'))
  .min(1, 'must not be empty')
  .max(maxOptions, `must have at most ${maxOptions} options`)
  .refine((values) => new Set(values).size === values.length, 'must not name an option twice');

/** The members of one field, before their combination is checked. */
export const fieldMembersInput = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,62}$/,
      'must begin with a lower-case letter and have only lower-case letters, digits and "_", at most 63',
    )
    .refine((name) => !isFixedField(name), {
      error: ({ input }) => `must not be ${JSON.stringify(input)}, the name of a fixed field`,
    })
    .refine((name) => !reservedNames.includes(name), {
      error: ({ input }) =>
        `must not be ${JSON.stringify(input)}: lists take ${reservedNames.join(', ')} for their parameters and conditions`,
    }),
  type: inEitherCase(z.enum(fieldTypesWhere(() => true))),
  label: upTo(lineOfText(), 255).nullish(),
  hint: upTo(z.string(), 1_000).nullish(),
  required: z.boolean().nullish(),
  unique: z.boolean().nullish(),
  indexed: z.boolean().nullish(),
  default: z.unknown().optional(),
  options: optionsInput.nullish(),
  channel: z.string().nullish(),
  min: z.number().nullish(),
  max: z.number().nullish(),
  pattern: upTo(z.string(), maxPatternLength).nullish(),
  message: upTo(z.string().min(1, 'must not be empty'), maxMessageLength).nullish(),
  ...rulesInput,
  // Shown in answers, and ignored here, so that a field can be sent back.
  readable: z.unknown().optional(),
  writable: z.unknown().optional(),
});

/** The schema of one field, whose members have to fit together. Its output is the definition to store. */
const fieldInput = fieldMembersInput
  .transform((input): FieldDefinition => ({
    name: input.name,
    type: input.type,
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
    message: input.message ?? null,
    ...definedRules(input),
  }))
  .superRefine((field, context) => {
    const misfits = findMisfits(field);
    for (const [path, message] of misfits) context.addIssue({ code: 'custom', path: [path], message });
    for (const [path, message] of findRuleMisfits(field)) {
      context.addIssue({ code: 'custom', path: [path], message, params: { code: 'invalid_rule' } });
    }
    // Defaults can only be checked against a valid definition.
    if (misfits.length > 0 || field.default === null) return;
    if (!hasFiniteNumbers(field.default)) {
      const params = { code: 'out_of_range' };
      context.addIssue({ code: 'custom', path: ['default'], message: unstorableNumber, params });
      return;
    }
    const message = checkValue(declareField(field), field.default, takeFreely).error?.issues[0]?.message;
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['default'], message });
  });

const tooLargePatterns =
  "makes the channel's patterns too large together. A counted repetition such as {1,1000} counts as often as it repeats: " +
  'bound the length of a text by min and max, or use + and *';

/** Refuses the first pattern that makes a channel's patterns too large together, before any of them is compiled. */
const patternsInput = z.unknown().superRefine((fields, context) => {
  let size = 0;
  for (const [index, field] of (Array.isArray(fields) ? fields : []).entries()) {
    const pattern: unknown = isObject(field) ? field['pattern'] : null;
    if (typeof pattern !== 'string' || isLongerThan(pattern, maxPatternLength)) continue;
    size += patternSize(pattern);
    if (size <= maxPatternSize) continue;
    context.addIssue({ code: 'custom', path: [index, 'pattern'], message: tooLargePatterns });
    return;
  }
});

/** The schema of a channel's fields in an input. Its output is stored. */
export const fieldsInput = patternsInput.pipe(
  z
    .array(fieldInput, wrongType('a list of fields'))
    .max(maxFields, `must have at most ${maxFields} fields`)
    .superRefine((fields, context) => {
      const names = new Set<string>();
      for (const [index, { name }] of fields.entries()) {
        if (names.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is declared twice' });
        names.add(name);
      }
      if (Buffer.byteLength(JSON.stringify(fields)) > maxDefinitionBytes) {
        context.addIssue({ code: 'custom', message: `must have at most ${maxDefinitionBytes} bytes as JSON` });
      }
    }),
);

/** A member of a definition that does not fit the others, and the reason. */
type Misfit = readonly [member: keyof FieldDefinition, message: string];

function findMisfits(field: FieldDefinition): Misfit[] {
  const { type } = field;
  return [
    ...unlessTyped(field, 'options', declaring('options')),
    ...unlessTyped(field, 'channel', declaring('channel')),
    ...unlessTyped(field, 'min', isMeasured),
    ...unlessTyped(field, 'max', isMeasured),
    ...unlessTyped(field, 'pattern', declaring('pattern')),
    ...(field.unique ? unlessTyped(field, 'unique', declaring('unique')) : []),
    ...misfit('options', field.options === null && canDeclare(type, 'options'), `is required for the type ${type}`),
    ...misfit('channel', field.channel === null && takesChannel(type), `is required for the type ${type}`),
    // Each writer may refer to other entries, so hardly any default would be valid for all writers.
    ...misfit('default', field.default !== null && takesChannel(type), `cannot be declared for the type ${type}`),
    ...findBoundMisfits(field),
    ...misfit(
      'pattern',
      field.pattern !== null && !isPattern(field.pattern),
      'must be a regular expression of RE2, which has no look-around and no back-references',
    ),
    ...misfit('message', field.message !== null && field.pattern === null, 'needs a pattern, which it explains'),
  ];
}

/** Reports a member that is set for a type that does not fulfil a condition. */
function unlessTyped(
  field: FieldDefinition,
  member: keyof FieldDefinition,
  condition: (traits: FieldTypeTraits) => boolean,
): Misfit[] {
  const types = fieldTypesWhere(condition);
  const message = `cannot be declared for the type ${field.type}, only for ${types.join(', ')}`;
  return misfit(member, field[member] !== null && !types.includes(field.type), message);
}

function findBoundMisfits({ type, min, max }: FieldDefinition): Misfit[] {
  const { measure } = fieldTypes[type];
  const isCounted = measure === 'characters' || measure === 'items';
  const isCount = (bound: number | null): boolean => bound === null || (Number.isInteger(bound) && bound >= 0);
  const message = `must be a whole number of ${measure}`;
  return [
    ...misfit('max', min !== null && max !== null && min > max, 'must not be less than min'),
    ...misfit('min', isCounted && !isCount(min), message),
    ...misfit('max', isCounted && !isCount(max), message),
  ];
}

function misfit(member: keyof FieldDefinition, isWrong: boolean, message: string): Misfit[] {
  return isWrong ? [[member, message]] : [];
}

function declaring(setting: Declarable): (traits: FieldTypeTraits) => boolean {
  return (traits) => traits.takes.includes(setting);
}

function isMeasured({ measure }: FieldTypeTraits): boolean {
  return measure !== null;
}

function isPattern(pattern: string): boolean {
  try {
    compilePattern(pattern, takeFreely);
    return true;
  } catch {
    return false;
  }
}
