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

/** Translates a condition. @throws query_too_complex if it has too many members */
export type TranslateWhere = (where: Input) => EntryFilter;

/** Every operator, by its name in an input. */
const operatorByName: ReadonlyMap<string, Operator> = new Map([
  ...operatorsByKind.any.map((operator): [string, Operator] => [nameOperator(operator, 'any'), operator]),
  [nameOperator('eq', 'list'), 'eq'],
]);
const referenceOperators = new Set(operatorsOfReferences.map((operator) => nameOperator(operator, 'reference')));

/**
 * Makes the translator of a channel's conditions. The data that it needs of the fields is made at the first condition.
 */
export function translateWhere(channel: () => TypedChannel, site: SiteTypes): TranslateWhere {
  let fieldsByName: ReadonlyMap<string, ComparedField> | undefined;
  /** The comparable fields beyond a reference, by the reference field's name in REST. */
  const hops = new Map<string, ReadonlyMap<string, ComparedField>>();
  const hopOf = (field: ComparedField): ReadonlyMap<string, ComparedField> => {
    const fieldsBeyond = hops.get(field.rest) ?? reachedFields(field, site);
    hops.set(field.rest, fieldsBeyond);
    return fieldsBeyond;
  };
  const translate = (where: Input, count: ConditionCount): EntryFilter => {
    fieldsByName ??= new Map(comparedFields(channel(), site, true).map((field) => [field.name, field]));
    const { and, or, not, ...fields } = where;
    const comparisons = Object.entries(fields).flatMap(([name, test]) =>
      compareMember(name, test, fieldsByName, hopOf),
    );
    // A variable can occur in a condition many times.
    count.take(1 + Object.keys(fields).length + comparisons.length);
    const [first, ...others] = comparisons;
    const each = (list: unknown): EntryFilter[] =>
      (list as readonly Input[]).map((condition) => translate(condition, count));
    return {
      ...first,
      ...((others.length > 0 || isSent(and)) && { and: [...others, ...(isSent(and) ? each(and) : [])] }),
      ...(isSent(or) && { or: each(or) }),
      ...(isSent(not) && { not: translate(not as Input, count) }),
    };
  };
  return (where) => translate(where, new ConditionCount());
}

/** As in the static schema, null means absent. */
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
  // The operation refuses it: leaving it out would select everything.
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

/** The fields of a referenced channel, by their names in a comparison of the reference. */
function reachedFields({ definition }: ComparedField, site: SiteTypes): ReadonlyMap<string, ComparedField> {
  const target = definition === null ? undefined : site.findTarget(definition);
  return new Map(hopFields(target ?? null, site).map((field) => [field.name, field]));
}

/** Translates a comparison of a reference with entries, or by the fields of its entry. */
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

/** Translates comparisons of undeclared fields. @param path the reference that leads to the channel, with a dot */
function compareFreely(tests: unknown, path: string): EntryFilter[] {
  if (!Array.isArray(tests)) return [{ field: `${path}fields`, op: 'eq', value: null }];
  return (tests as readonly { name: string; op: Operator; value?: unknown }[]).map(({ name, op, value }) => {
    return { field: path + name, op, value: value ?? null };
  });
}

/**
 * Makes the translator of the values of a channel's entry. @param fixedNames the members that entries of all channels
 * have
 */
export function translateInput(
  channel: () => TypedChannel,
  fixedNames: readonly string[],
): (input: Input) => EntryInput {
  return (input) => {
    const { fields, isFree } = channel();
    const fixed = fixedNames.map((name) => [name, input[name]] as const).filter(([, value]) => value !== undefined);
    const custom = isFree
      ? input['fields']
      : Object.fromEntries(
          fields
            .filter(({ name }) => Object.hasOwn(input, name))
            .map(({ name, definition }) => [definition.name, sentValue(definition, input[name])]),
        );
    return { ...(Object.fromEntries(fixed) as EntryInput), ...(isObject(custom) && { fields: custom }) };
  };
}
