// What was typed and not saved, of each entry, for as long as somebody is signed in. Pure.
import type { JsonObject } from '../api/types.ts';
import type { Draft } from './draft.ts';

export interface KeptDraft {
  /** What was stored when the draft was begun: a save is held against that version. */
  readonly read: { readonly entry: JsonObject; readonly tag: string | null };
  readonly draft: Draft;
}

/** Where an entry is edited; `id` is null for one that is to be created. */
export interface Place {
  readonly channel: string;
  readonly id: string | null;
}

const nameDraft = ({ channel, id }: Place): string => `${channel}/${id ?? ''}`;

/** The drafts of a session, by the places of their entries. */
export class Drafts {
  readonly #kept = new Map<string, KeptDraft>();
  readonly #ended = new Set<string>();

  get size(): number {
    return this.#kept.size;
  }

  find(place: Place): KeptDraft | undefined {
    return this.#kept.get(nameDraft(place));
  }

  /** Begins to edit: what was kept of it, if anything. */
  begin(place: Place): KeptDraft | undefined {
    this.#ended.delete(nameDraft(place));
    return this.find(place);
  }

  /** Keeps a draft; null: nothing differs from what is stored. */
  keep(place: Place, kept: KeptDraft | null): void {
    const key = nameDraft(place);
    if (kept === null || this.#ended.has(key)) this.#kept.delete(key);
    else this.#kept.set(key, kept);
  }

  /** Ends a draft whose entry was created or deleted: its form, which is still to go, keeps nothing more. */
  end(place: Place): void {
    this.#ended.add(nameDraft(place));
    this.keep(place, null);
  }
}
