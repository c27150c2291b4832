// What changes of the feed make of the entries of a file. Pure.
import { isObject } from '../../../../src/inputs/json.ts';
import type { RemoteEntry } from '../service/remoteEntries.ts';

/** The reference fields of each channel, with the channel that each refers to; null: the token is not told which. */
export type References = ReadonlyMap<string, ReadonlyMap<string, string | null>>;

export class Patch {
  /** By id: an entry as it is now; null: the token does not see it. */
  readonly #entries = new Map<string, { readonly channel: string; readonly entry: RemoteEntry | null }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Notes what an entry is now. @param entry null: the token does not see it */
  set(channel: string, id: string, entry: RemoteEntry | null): void {
    this.#entries.set(id, { channel, entry });
  }

  /** Forgets what is noted for the entries of a channel. */
  forgetChannel(id: string): void {
    for (const [key, { channel }] of this.#entries) if (channel === id) this.#entries.delete(key);
  }

  /** The ids of the entries that are seen now, by channel. */
  seen(): Map<string, string[]> {
    const ids = new Map<string, string[]>();
    for (const [id, { channel, entry }] of this.#entries) {
      if (entry === null) continue;
      const others = ids.get(channel);
      if (others) others.push(id);
      else ids.set(channel, [id]);
    }
    return ids;
  }

  /** What an entry of the file becomes. References to what is not seen any more go. @returns null: it goes */
  change(entry: RemoteEntry, references: References): RemoteEntry | null {
    const noted = this.#entries.get(String(entry['id']));
    if (noted?.entry === null) return null;
    return this.#clean(noted?.entry ?? entry, references);
  }

  /** The entries that are seen now and are not among some ids. */
  *without(ids: ReadonlySet<string>, references: References): Generator<RemoteEntry> {
    for (const [id, { entry }] of this.#entries)
      if (entry !== null && !ids.has(id)) yield this.#clean(entry, references);
  }

  /** An entry without references to what is not seen any more: it may have been read before that went. */
  #clean(entry: RemoteEntry, references: References): RemoteEntry {
    const fields = references.get(String(entry['channel']));
    if (fields === undefined) return entry;
    const changed = [...fields.keys()].flatMap((name) => {
      const value = entry[name];
      const kept = this.#withoutGone(value);
      return kept === value ? [] : [[name, kept] as const];
    });
    return changed.length === 0 ? entry : { ...entry, ...Object.fromEntries(changed) };
  }

  #withoutGone(value: unknown): unknown {
    if (!Array.isArray(value)) return this.#isGone(value) ? null : value;
    return value.some((each) => this.#isGone(each)) ? value.filter((each) => !this.#isGone(each)) : value;
  }

  #isGone(stub: unknown): boolean {
    return isObject(stub) && this.#entries.get(String(stub['id']))?.entry === null;
  }
}
