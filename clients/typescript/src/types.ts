// What the client's types are made of: the channels, as `entryway types` prints them, and what follows from them for each call.

/** What is known of a channel. */
export interface ChannelTypes {
  readonly entry: object;
  readonly input: object;
  readonly patch: object;
  readonly filters: object;
  readonly sort: string;
  /** The channels that reference fields lead to; null: one that is not known. */
  readonly references: object;
}

/** The type parameter of `createClient`: channels by their ids. */
export type ChannelMap<Channels> = { readonly [Name in keyof Channels]: ChannelTypes };

/** The id of a channel. */
export type ChannelName<Channels> = keyof Channels & string;

/** The members that entries of every channel have. */
export interface AnyEntry {
  id: string;
  url: string;
  short_id: string;
  slug: string;
  channel: string;
  created_at: string;
  updated_at: string;
  title_field_value: string | null;
  _status: 'draft' | 'scheduled' | 'published';
  _publish_at: string | null;
  [name: string]: unknown;
}

/** A channel of which nothing is known. */
export interface AnyChannel {
  readonly entry: AnyEntry;
  readonly input: Readonly<Record<string, unknown>>;
  readonly patch: Readonly<Record<string, unknown>>;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly sort: string;
  readonly references: Readonly<Record<string, null>>;
}

/** The channels of a client without generated types. */
export type AnyChannels = Readonly<Record<string, AnyChannel>>;

/** An entry with its version, for `ifVersion`. */
export type Versioned<Entry> = Entry & { readonly _version: number };

/** The members that an update shows to everybody who may make it, whoever may read the entry. */
type AlwaysShown =
  'id' | 'url' | 'short_id' | 'slug' | 'channel' | 'created_at' | 'updated_at' | '_status' | '_publish_at';

/** What an update answers with: a caller that could not have read the entry is shown no more than it sent. */
export type Updated<Entry> = Versioned<Partial<Entry> & Pick<Entry, keyof Entry & AlwaysShown>>;

type References<Channels, Name extends keyof Channels> = Channels[Name] extends { references: infer Found }
  ? Found
  : never;
type EntryIn<Channels, Name extends keyof Channels> = Channels[Name] extends { entry: infer Found } ? Found : never;
type FiltersIn<Channels, Name extends keyof Channels> = Channels[Name] extends { filters: infer Found } ? Found : never;
type SortIn<Channels, Name extends keyof Channels> = Channels[Name] extends { sort: infer Found extends string }
  ? Found
  : never;

/** A key to sort by, with `-` for descending. */
export type SortKey<Channels, Name extends keyof Channels> = SortIn<Channels, Name> | `-${SortIn<Channels, Name>}`;

/** The members that `only` can name. */
export type MemberName<Channels, Name extends keyof Channels> = (keyof EntryIn<Channels, Name> & string) | '_version';

// Filters: the channel's own, those through one reference (`director.name`), and their combinations.

type Intersected<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

type Through<Field extends string, Filters> = {
  readonly [Name in keyof Filters & string as `${Field}.${Name}`]?: Filters[Name];
};

type ThroughReference<Channels, Field extends string, Target> = Target extends keyof Channels
  ? Through<Field, Omit<FiltersIn<Channels, Target>, keyof References<Channels, Target>>>
  : Readonly<Record<`${Field}.${string}`, unknown>>;

type ThroughReferences<Channels, Name extends keyof Channels> = Intersected<
  {
    [Field in keyof References<Channels, Name> & string]: ThroughReference<
      Channels,
      Field,
      References<Channels, Name>[Field]
    >;
  }[keyof References<Channels, Name> & string]
>;

/** A filter of a channel's entries. Its members all have to hold. */
export type Where<Channels, Name extends keyof Channels> = FiltersIn<Channels, Name> &
  ThroughReferences<Channels, Name> & {
    readonly and?: readonly Where<Channels, Name>[];
    readonly or?: readonly Where<Channels, Name>[];
    readonly not?: Where<Channels, Name>;
  };

// References that are embedded: `director`, and one level of dots.

/** The paths that `include` can name. */
export type IncludePath<Channels, Name extends keyof Channels> = {
  [Field in keyof References<Channels, Name> & string]:
    | Field
    | (References<Channels, Name>[Field] extends keyof Channels
        ? `${Field}.${keyof References<Channels, References<Channels, Name>[Field]> & string}`
        : never);
}[keyof References<Channels, Name> & string];

interface Stub {
  id: string;
  channel: string;
  slug: string;
  title_field_value: string | null;
}

/** An embedded entry; or its stub, where one answer would embed too many. */
export type Embedded<Entry> = Entry | (Stub & Partial<Record<Exclude<keyof Entry, keyof Stub>, undefined>>);

type Head<Path extends string> = Path extends `${infer First}.${string}` ? First : Path;
type Tail<Path extends string, First extends string> = Path extends `${First}.${infer Rest}` ? Rest : never;

type TargetEntry<Channels, Target, Path extends string> = Target extends keyof Channels
  ? WithEmbedded<Channels, Target, Path>
  : AnyEntry;

type Embed<Value, Entry> = Value extends readonly unknown[] ? Embedded<Entry>[] : Embedded<Entry> | null;

/** An entry whose references along some paths are embedded. */
export type WithEmbedded<Channels, Name extends keyof Channels, Path extends string> = [Path] extends [never]
  ? EntryIn<Channels, Name>
  : string extends keyof References<Channels, Name>
    ? EntryIn<Channels, Name>
    : Omit<EntryIn<Channels, Name>, Head<Path>> & {
        [Field in Head<Path> & keyof EntryIn<Channels, Name> & string]: Embed<
          EntryIn<Channels, Name>[Field],
          TargetEntry<Channels, References<Channels, Name>[Field & keyof References<Channels, Name>], Tail<Path, Field>>
        >;
      };

/** An entry, or the members of it that `only` names. */
export type Selected<Entry, Only> = [Only] extends [never]
  ? Entry
  : Pick<Entry, keyof Entry & (Only | 'id')> & ('_version' extends Only ? { readonly _version: number } : unknown);
