// The tokens of a sign-in, which are in the memory of this page alone: each is replaced before it ends, and when the service refuses
// it. What is asked meanwhile waits. Where the sign-in itself has ended, it waits until the same user has signed in again.
import type { Keys } from '../api/session.ts';
import type { User } from '../api/types.ts';
import { renewToken, type Issued } from './requests.ts';

/** Why a sign-in cannot go on. */
export interface Ended {
  /** The address of somebody else who has signed in in this browser meanwhile; null: the sign-in is over. */
  readonly other: string | null;
}

/** So long before its end a token is replaced. */
const margin = 60_000;

export class SignInKeys implements Keys {
  readonly user: User;
  #token = '';
  #replaceAt = 0;
  #endsAt = 0;
  #renewing: Promise<string> | null = null;
  #ended: Ended | null = null;
  #goOn: ((issued: Issued | null) => void) | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(issued: Issued) {
    this.user = issued.user;
    this.#take(issued);
  }

  readonly read = async (): Promise<string> => {
    if (this.#ended === null && Date.now() < this.#replaceAt) return this.#token;
    try {
      return await this.#renew();
    } catch (error) {
      // The service cannot be reached now; until its end the token is good.
      if (Date.now() < this.#endsAt) return this.#token;
      throw error;
    }
  };

  readonly replace = async (refused: string): Promise<string> => {
    // Another request has replaced it meanwhile.
    if (this.#ended === null && this.#token !== refused) return this.#token;
    return this.#renew();
  };

  /** Why what is asked waits; null: it does not. */
  readonly ended = (): Ended | null => this.#ended;

  /** Calls a function whenever `ended` changes. @returns ends that */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Goes on with a new sign-in, if it is of the same user. @param issued null: another tab has signed in, and the cookie tells as whom */
  goOn(issued: Issued | null): void {
    this.#goOn?.(issued);
  }

  #take({ token, lifetime }: Issued): void {
    this.#token = token;
    // A token that is over so soon, by whatever clock, is used until the service refuses it.
    this.#endsAt = Date.now() + lifetime;
    this.#replaceAt = Date.now() + Math.max(lifetime - margin, lifetime / 2);
  }

  #renew(): Promise<string> {
    this.#renewing ??= this.#ask().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #ask(): Promise<string> {
    let issued = await renewToken();
    while (issued?.user.id !== this.user.id) {
      this.#set({ other: issued?.user.email ?? null });
      issued = (await this.#untilSignedIn()) ?? (await renewToken().catch(() => null));
    }
    this.#take(issued);
    this.#set(null);
    return issued.token;
  }

  #untilSignedIn(): Promise<Issued | null> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  #set(ended: Ended | null): void {
    this.#ended = ended;
    for (const listener of this.#listeners) listener();
  }
}
