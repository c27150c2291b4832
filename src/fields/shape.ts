// The shape of a value: its parts, their bounds, and an example. The printers of schemas (JSON Schema, GraphQL, TypeScript)
// have an answer for every kind of shape, and so for every type of field that is made of these kinds.

/** A text. One with a format is neither bounded by the definition of a field nor searched. */
export interface TextShape {
  readonly of: 'text';
  /** Whether it is one line: then it is stored and compared in Unicode normalization form C. */
  readonly isLine: boolean;
  readonly isHtml: boolean;
  /** As JSON Schema names it. */
  readonly format: 'idn-email' | 'iri' | null;
  readonly maxLength: number | null;
  readonly example: string;
}

export interface NumberShape {
  readonly of: 'number';
  readonly isWhole: boolean;
  /** Bounds, both inclusive, that hold in every field. */
  readonly min: number | null;
  readonly max: number | null;
  readonly example: number;
}

/** A boolean, a calendar day, a moment, or any JSON. */
export interface PlainShape {
  readonly of: 'boolean' | 'date' | 'time' | 'any';
  readonly example: unknown;
}

/** One of the options that a field declares. */
export interface OptionShape {
  readonly of: 'option';
}

/** An entry of the channel that a field declares: sent as a name of it, and shown as a stub or as the entry. */
export interface ReferenceShape {
  readonly of: 'reference';
}

/** The one text that a member of an object has. */
export interface ConstantShape {
  readonly of: 'constant';
  readonly value: string;
}

export interface ListShape<Item extends ItemShape = ItemShape> {
  readonly of: 'list';
  readonly items: Item;
  readonly areDistinct: boolean;
  /** The numbers of items that it may have, in ascending order; null: any. */
  readonly lengths: readonly number[] | null;
}

/** An object with known members. */
export interface ObjectShape {
  readonly of: 'object';
  /** The name and the description of its type in each language; JSON Schema has no names. */
  readonly graphql: { readonly name: string; readonly description: string };
  readonly typescript: { readonly name: string; readonly description: string };
  readonly jsonSchema: { readonly description: string | null };
  /** By their names in REST. */
  readonly members: Readonly<Record<string, ObjectMember>>;
  readonly example: object;
}

export interface ObjectMember {
  readonly shape: MemberShape;
  readonly isRequired: boolean;
  readonly description: string;
}

/** What lists are made of, and what members of objects are. */
export type ItemShape = TextShape | NumberShape | OptionShape | ReferenceShape;
export type MemberShape = TextShape | NumberShape | ConstantShape | ListShape<NumberShape>;
/** What the values of fields are. */
export type Shape = ItemShape | PlainShape | ListShape | ObjectShape;

/** A text of several lines; `parts` says where a text differs from that. */
export function text(example: string, parts: Partial<Omit<TextShape, 'of' | 'example'>> = {}): TextShape {
  return { of: 'text', isLine: false, isHtml: false, format: null, maxLength: null, ...parts, example };
}

/** A number; a whole one has its bounds in `parts`. */
export function number(example: number, parts: Partial<Omit<NumberShape, 'of' | 'example'>> = {}): NumberShape {
  return { of: 'number', isWhole: false, min: null, max: null, ...parts, example };
}

/** A list of any length. */
export function list(items: ItemShape, areDistinct: boolean): ListShape {
  return { of: 'list', items, areDistinct, lengths: null };
}

/** The JSON type of a type's values, by PostgreSQL's names (`jsonb_typeof`); `any` if values may have different ones. */
export type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any';

/**
 * How values compare: as texts, numbers, booleans, days, times or lists of texts; `any`: by the JSON type that each has;
 * `opaque`: only for equality.
 */
export type ComparisonKind = 'text' | 'number' | 'boolean' | 'date' | 'time' | 'list' | 'any' | 'opaque';

/** The settings of a field that only some types take; `index` stands for `indexed: true`. */
export type Declarable = 'options' | 'channel' | 'pattern' | 'unique' | 'index';

/** What follows from a shape. */
export interface ShapeTraits {
  readonly json: JsonType;
  /** What `min` and `max` bound: the value itself, the number of its characters or of its items. Null: it takes neither. */
  readonly measure: 'value' | 'characters' | 'items' | null;
  readonly takes: readonly Declarable[];
  readonly comparison: ComparisonKind;
  /** The weight of its words in a search, as PostgreSQL names it (docs/search.md). Null: it is not searched. */
  readonly search: { readonly weight: 'b' | 'c'; readonly isHtml: boolean } | null;
  /** Whether its values are texts of one line, or lists of them: they are stored and compared in Unicode normalization form C. */
  readonly isNormalized: boolean;
  /** Whether an import may infer the type from the form of texts. */
  readonly isInferred: boolean;
}

const ordered: readonly Declarable[] = ['unique', 'index'];
const scalar = { measure: null, takes: ordered, search: null, isNormalized: false, isInferred: true } as const;
const opaque = { ...scalar, takes: [], comparison: 'opaque', isInferred: false } as const;

const traitsByKind: Readonly<Record<Exclude<Shape['of'], 'text' | 'list'>, ShapeTraits>> = {
  number: { ...scalar, json: 'number', measure: 'value', comparison: 'number' },
  boolean: { ...scalar, json: 'boolean', takes: ['index'], comparison: 'boolean' },
  date: { ...scalar, json: 'string', comparison: 'date' },
  time: { ...scalar, json: 'string', comparison: 'time' },
  option: {
    ...scalar,
    json: 'string',
    takes: ['options', ...ordered],
    comparison: 'text',
    isNormalized: true,
    isInferred: false,
  },
  any: { ...opaque, json: 'any', comparison: 'any' },
  object: { ...opaque, json: 'object' },
  reference: { ...opaque, json: 'string', takes: ['channel'] },
};

/** What follows from a shape. */
export function traitsOf(shape: Shape): ShapeTraits {
  if (shape.of === 'text') return textTraits(shape);
  if (shape.of !== 'list') return traitsByKind[shape.of];
  const item = traitsOf(shape.items);
  return {
    ...opaque,
    json: 'array',
    measure: 'items',
    takes: item.takes.filter((setting) => setting === 'options' || setting === 'channel'),
    comparison: item.comparison === 'text' ? 'list' : 'opaque',
    isNormalized: item.isNormalized,
  };
}

function textTraits({ isLine, isHtml, format }: TextShape): ShapeTraits {
  return {
    json: 'string',
    measure: format === null ? 'characters' : null,
    takes: isLine ? ['pattern', ...ordered] : ordered,
    comparison: 'text',
    search: format === null ? { weight: isLine ? 'b' : 'c', isHtml } : null,
    isNormalized: isLine,
    isInferred: format !== null,
  };
}
