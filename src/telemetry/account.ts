// What one request did: who asked, for what, and what that took. Its line in the log and the metrics are made of it when it
// ends (src/http/requestEnd.ts). It travels with the request, and from there with its context.
import type { ErrorCode, FieldError } from '../base/errors.ts';
import { noteOwner } from './strays.ts';

/** How many errors of one request are kept. Further ones are left out. */
const maxLoggedErrors = 10;

/** What may stand for a field's name in the log: callers can send any text as one, such as a part of an entry. */
const fieldShape = /^[\w.[\]-]{1,100}$/;

/** An error as the log has it. */
export interface AccountedError {
  /** A code of REST (src/base/errors.ts), or one of GraphQL in lower case. */
  readonly code: string;
  readonly errors?: readonly Pick<FieldError, 'field' | 'code'>[] | undefined;
}

/** The end of an operation. */
export interface OperationEnd {
  readonly name: string;
  readonly kind: Asking['token']['kind'] | null;
  /** null: it has no error. */
  readonly code: ErrorCode | null;
  readonly milliseconds: number;
}

/** Receives the operations of requests as they end. */
export interface OperationObserver {
  readonly countOperation: (end: OperationEnd) => void;
}

/** Who asks, as far as it is known. */
interface Asking {
  readonly token: { readonly id: string; readonly kind: 'master' | 'public' | 'user' };
  readonly customer: { readonly id: string | null } | null;
}

export class RequestAccount {
  /** The id of the request; empty for a command. */
  requestId = '';
  /** The client's address, as the server or a trusted proxy knows it. */
  address = '';
  /** The pattern of its path, such as `/channels/:channel/entries`; empty until it ends. */
  route = '';
  /** The id of its site; null until it is known that the caller may use the site. */
  site: string | null = null;
  tokenId: string | null = null;
  tokenKind: Asking['token']['kind'] | null = null;
  /** The id of the customer whose session came with it. */
  customer: string | null = null;
  /** How many rows its statements returned. */
  rows = 0;
  /** How long its statements took together, in milliseconds. Those that ran at the same time count each. */
  databaseMilliseconds = 0;
  /** Counts its operations; null: nobody does. */
  observer: OperationObserver | null = null;
  /** The response of the request; null: it is of a command. */
  answer: object | null = null;
  /** The first fault of the service or the database in a part of the request, whose answer tells more than that; undefined: none. */
  fault: unknown = undefined;
  #operations: readonly string[] = [];
  #codes: readonly string[] = [];
  #invalid: readonly string[] = [];

  /** The names of its operations, each once. */
  get operations(): readonly string[] {
    return this.#operations;
  }

  /** The codes of its errors, each once. */
  get codes(): readonly string[] {
    return this.#codes;
  }

  /** The fields that were invalid, and why, as `title: required`. */
  get invalid(): readonly string[] {
    return this.#invalid;
  }

  /** Notes who asks. */
  noteCaller({ token, customer }: Asking): void {
    this.tokenId = token.id;
    this.tokenKind = token.kind;
    this.customer = customer?.id ?? null;
  }

  /** Notes that the request performs an operation. */
  noteOperation(name: string): void {
    if (!this.#operations.includes(name)) this.#operations = [...this.#operations, name];
  }

  /** Notes the end of an operation. @param code the code of its error; null: it has none */
  endOperation(name: string, code: ErrorCode | null, milliseconds: number): void {
    this.observer?.countOperation({ name, kind: this.tokenKind, code, milliseconds });
  }

  /** Notes an error that the answer tells of. Of its fields only names and codes are kept, never values. */
  noteError({ code, errors = [] }: AccountedError): void {
    this.#codes = addTo(this.#codes, code);
    for (const { field, code: cause } of errors.slice(0, maxLoggedErrors)) {
      this.#invalid = addTo(this.#invalid, `${fieldShape.test(field) ? field : '…'}: ${cause}`);
    }
  }

  /** Notes a fault in a part of the request, for the log alone. */
  noteFault(error: unknown): void {
    this.fault ??= error;
  }

  /** Notes that an error arose in the request: should nobody handle it, it ends this request and no other. */
  own(error: unknown): void {
    noteOwner(error, this);
  }

  /** Runs a statement, and notes how long it took and how many rows it returned. @returns its result @throws what it throws */
  async measure<Result>(run: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    try {
      const result = await run();
      if (Array.isArray(result)) this.rows += result.length;
      else if (typeof result === 'object' && result !== null) this.rows += 1;
      return result;
    } catch (error) {
      this.own(error);
      throw error;
    } finally {
      this.databaseMilliseconds += performance.now() - begun;
    }
  }
}

function addTo(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) || list.length >= maxLoggedErrors ? list : [...list, item];
}
