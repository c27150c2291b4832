// The custom fields that an entry shows. Usually they go from the database to the response as JSON text.
import type { EntryRow } from '../entries/row.ts';
import type { CompiledFields } from '../fields/compiled.ts';
import { countTopLevelNames, topLevelMembers, topLevelNames } from '../fields/jsonNames.ts';
import type { Values } from '../fields/stored.ts';

/** The custom fields that an entry shows, parsed and as JSON. Each is made when it is read. */
export abstract class ShownFields {
  abstract readonly values: Values;
  abstract readonly json: string;

  /** A field in JSON; undefined if it has no value. */
  abstract member(name: string): string | undefined;

  /** The value that JSON.stringify writes. */
  toJSON(): Values {
    return this.values;
  }
}

/** Custom fields with parsed values. */
export class ParsedFields extends ShownFields {
  readonly values: Values;
  #json: string | undefined;

  constructor(values: Values) {
    super();
    this.values = values;
  }

  get json(): string {
    return (this.#json ??= JSON.stringify(this.values));
  }

  member(name: string): string | undefined {
    return Object.hasOwn(this.values, name) ? JSON.stringify(this.values[name]) : undefined;
  }
}

/** Custom fields that are shown as they are stored; declared fields without a value are added. */
export class StoredFields extends ShownFields {
  readonly #row: EntryRow;
  readonly #empty: CompiledFields['empty'];
  #values: Values | undefined;
  #members: ReadonlyMap<string, string> | undefined;

  /** @param row an entry that was stored for the channel's current fields */
  constructor(row: EntryRow, { empty }: Pick<CompiledFields, 'empty'>) {
    super();
    this.#row = row;
    this.#empty = empty;
  }

  get values(): Values {
    return (this.#values ??= this.#empty.size === 0 ? this.#row.data : (JSON.parse(this.json) as Values));
  }

  get json(): string {
    const { data } = this.#row.text;
    if (this.#empty.size === 0) return data;
    // An entry that was stored for the current fields has no others.
    if (countTopLevelNames(data) === this.#empty.size) return data;
    const names = topLevelNames(data);
    const present = new Set(names);
    let added = '';
    for (const [name, json] of this.#empty) if (!present.has(name)) added += `,"${name}":${json}`;
    return names.length === 0 ? `{${added.slice(1)}}` : `${data.slice(0, -1)}${added}}`;
  }

  member(name: string): string | undefined {
    return (this.#members ??= topLevelMembers(this.#row.text.data)).get(name);
  }
}
