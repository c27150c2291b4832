// The shape of a value: its members or items, their bounds, and an example. The printers of schemas (JSON Schema,
// GraphQL, TypeScript) handle every kind of shape, and so every type of field that is made of these kinds.

/** A text. The bounds of a field do not apply to a text with a format, nor is it searched. */
export interface TextShape {
  readonly of: 'text';
  /** Whether it is one line: if so, it is stored and compared in Unicode normalization form C. */
  readonly isLine: boolean;
  readonly isHtml: boolean;
  /** By its name in JSON Schema. */
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

/** An entry of the channel that a field declares: sent as its id or slug, shown as a stub or as the entry. */
export interface ReferenceShape {
  readonly of: 'reference';
}

/** The only value of an object's member. */
export interface ConstantShape {
  readonly of: 'constant';
  readonly value: string;
}

export interface ListShape<Item extends ItemShape = ItemShape> {
  readonly of: 'list';
  readonly items: Item;
  readonly areDistinct: boolean;
  /** The allowed numbers of items, in ascending order; null for any number. */
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

/** The shapes of items of lists, and of members of objects. */
export type ItemShape = TextShape | NumberShape | OptionShape | ReferenceShape;
export type MemberShape = TextShape | NumberShape | ConstantShape | ListShape<NumberShape>;
/** The shapes of values of fields. */
export type Shape = ItemShape | PlainShape | ListShape | ObjectShape;

/** Makes the shape of a text of several lines. @param settings those that differ from that */
export function text(example: string, settings: Partial<Omit<TextShape, 'of' | 'example'>> = {}): TextShape {
  return { of: 'text', isLine: false, isHtml: false, format: null, maxLength: null, ...settings, example };
}

/** Makes the shape of a number. @param settings those of a whole number, and its bounds */
export function number(example: number, settings: Partial<Omit<NumberShape, 'of' | 'example'>> = {}): NumberShape {
  return { of: 'number', isWhole: false, min: null, max: null, ...settings, example };
}

/** A list of any length. */
export function list(items: ItemShape, areDistinct: boolean): ListShape {
  return { of: 'list', items, areDistinct, lengths: null };
}

/** The JSON type of a type's values, by PostgreSQL's names (`jsonb_typeof`); `any` if values may have different ones. */
export type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any';

/**
 * The kind of comparison of values: as texts, numbers, booleans, days, times or lists of texts; `any` by the JSON type
 * of each value; `opaque` only for equality.
 */
export type ComparisonKind = 'text' | 'number' | 'boolean' | 'date' | 'time' | 'list' | 'any' | 'opaque';

/** The settings of a field that only some types take; `index` stands for `indexed: true`. */
export type Declarable = 'options' | 'channel' | 'pattern' | 'unique' | 'index';

/** The traits that follow from a shape. */
export interface ShapeTraits {
  readonly json: JsonType;
  /**
   * The quantity that `min` and `max` bound: the value itself, the number of its characters or of its items; null if
   * they do not apply.
   */
  readonly measure: 'value' | 'characters' | 'items' | null;
  readonly takes: readonly Declarable[];
  readonly comparison: ComparisonKind;
  /** The weight of its words in a search, as PostgreSQL names it (docs/search.md); null if it is not searched. */
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

/** Derives the traits of a shape. */
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
