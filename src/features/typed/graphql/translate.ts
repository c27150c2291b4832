// Translates the inputs of the schema of a site to those of the static schema.
import { takesChannel } from '../../../fields/types.ts';
import type { EntryFilter, EntryInput } from '../../../generated/graphql/types.ts';
import { operatorsByKind, operatorsOfReferences } from '../../../inputs/lists/operators.ts';
import type { Operator } from '../../../inputs/lists/filter.ts';
import { isObject } from '../../../inputs/json.ts';
import { ConditionCount } from '../../../graphql/conditions.ts';
import type { SiteTypes, TypedChannel } from './channelTypes.ts';
import { comparedFields, hopFields, nameOperator, type ComparedField } from './filters.ts';
import { sentValue } from './values.ts';

/** A coerced input object. */
type Input = Readonly<Record<string, unknown>>;

/** Translates a condition. @throws query_too_complex where it holds too many */
export type TranslateWhere = (where: Input) => EntryFilter;

/** Every operator, by its name in an input. */
const operatorByName: ReadonlyMap<string, Operator> = new Map([
  ...operatorsByKind.any.map((operator): [string, Operator] => [nameOperator(operator, 'any'), operator]),
  [nameOperator('eq', 'list'), 'eq'],
]);
const referenceOperators = new Set(operatorsOfReferences.map((operator) => nameOperator(operator, 'reference')));

/** Makes what translates the conditions of a channel. What it needs of the fields is made at the first condition. */
export function translateWhere(channel: () => TypedChannel, site: SiteTypes): TranslateWhere {
  let known: ReadonlyMap<string, ComparedField> | undefined;
  /** By the reference field's name in REST: what can be compared beyond it. */
  const hops = new Map<string, ReadonlyMap<string, ComparedField>>();
  const hopOf = (field: ComparedField): ReadonlyMap<string, ComparedField> => {
    const found = hops.get(field.rest) ?? reachedFields(field, site);
    hops.set(field.rest, found);
    return found;
  };
  const translate = (where: Input, count: ConditionCount): EntryFilter => {
    known ??= new Map(comparedFields(channel(), site, true).map((field) => [field.name, field]));
    const { and, or, not, ...fields } = where;
    const comparisons = Object.entries(fields).flatMap(([name, test]) => compareMember(name, test, known, hopOf));
    // A variable can stand in many places of a condition.
    count.take(1 + Object.keys(fields).length + comparisons.length);
    const [first, ...others] = comparisons;
    const each = (list: unknown): EntryFilter[] => (list as readonly Input[]).map((part) => translate(part, count));
    return {
      ...first,
      ...((others.length > 0 || isSent(and)) && { and: [...others, ...(isSent(and) ? each(and) : [])] }),
      ...(isSent(or) && { or: each(or) }),
      ...(isSent(not) && { not: translate(not as Input, count) }),
    };
  };
  return (where) => translate(where, new ConditionCount());
}

/** As in the static schema, a null stands for nothing. */
function isSent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function compareMember(
  name: string,
  test: unknown,
  fields: ReadonlyMap<string, ComparedField> | undefined,
  hopOf: (field: ComparedField) => ReadonlyMap<string, ComparedField>,
): EntryFilter[] {
  const field = fields?.get(name);
  if (field === undefined) return compareFreely(test, '');
  // The operation refuses it: left out, it would let everything through.
  if (!isObject(test)) return [{ field: field.rest, op: 'eq', value: null }];
  if (field.definition !== null && takesChannel(field.definition.type))
    return translateReference(field, test, hopOf(field));
  return Object.entries(test).map(([operator, operand]) => comparison(field.rest, operator, operand, field));
}

function comparison(rest: string, operator: string, operand: unknown, { definition }: ComparedField): EntryFilter {
  const op = operatorByName.get(operator) ?? 'eq';
  const sent = (value: unknown): unknown => (definition === null ? value : sentValue(definition, value));
  const isOne = op !== 'exists' && !Array.isArray(operand);
  return { field: rest, op, value: isOne ? sent(operand) : Array.isArray(operand) ? operand.map(sent) : operand };
}

/** The fields of a reference's targets, by the names that they have in a comparison of the reference. */
function reachedFields({ definition }: ComparedField, site: SiteTypes): ReadonlyMap<string, ComparedField> {
  const target = definition === null ? undefined : site.findTarget(definition);
  return new Map(hopFields(target ?? null, site).map((field) => [field.name, field]));
}

/** A reference compared with entries, or by the fields of its targets. */
function translateReference(
  { rest }: ComparedField,
  test: Input,
  reached: ReadonlyMap<string, ComparedField>,
): EntryFilter[] {
  return Object.entries(test).flatMap(([name, inner]): EntryFilter[] => {
    if (referenceOperators.has(name)) return [{ field: rest, op: operatorByName.get(name) ?? 'eq', value: inner }];
    const field = reached.get(name);
    if (field === undefined) return compareFreely(inner, `${rest}.`);
    const path = `${rest}.${field.rest}`;
    if (!isObject(inner)) return [{ field: path, op: 'eq', value: null }];
    return Object.entries(inner).map(([operator, operand]) => comparison(path, operator, operand, field));
  });
}

/** Comparisons of fields that a channel does not declare. @param path the reference that leads there, with a dot */
function compareFreely(tests: unknown, path: string): EntryFilter[] {
  if (!Array.isArray(tests)) return [{ field: `${path}fields`, op: 'eq', value: null }];
  return (tests as readonly { name: string; op: Operator; value?: unknown }[]).map(({ name, op, value }) => {
    return { field: path + name, op, value: value ?? null };
  });
}

/** Makes what translates the values of an entry of a channel. @param fixedNames the members that entries of all channels have */
export function translateInput(
  channel: () => TypedChannel,
  fixedNames: readonly string[],
): (input: Input) => EntryInput {
  return (input) => {
    const { fields } = channel();
    const fixed = fixedNames.map((name) => [name, input[name]] as const).filter(([, value]) => value !== undefined);
    const custom =
      fields.length === 0
        ? input['fields']
        : Object.fromEntries(
            fields
              .filter(({ name }) => Object.hasOwn(input, name))
              .map(({ name, definition }) => [definition.name, sentValue(definition, input[name])]),
          );
    return { ...(Object.fromEntries(fixed) as EntryInput), ...(isObject(custom) && { fields: custom }) };
  };
}
