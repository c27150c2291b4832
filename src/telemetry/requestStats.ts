// The statistics of one request: caller, operations, errors and time. The log line and the metrics are made from them
// when it ends (src/http/requestEnd.ts). They belong to the request, and to its context.
import type { ErrorCode, FieldError } from '../base/errors.ts';
import { noteOwner } from './strays.ts';

/** Maximum number of logged errors per request. */
const maxLoggedErrors = 10;

/** The form of field names in the log: a caller can send any text as a name, such as a part of an entry. */
const fieldShape = /^[\w.[\]-]{1,100}$/;

/** An error in the form of the log. */
export interface LoggedError {
  /** A code of REST (src/base/errors.ts), or one of GraphQL in lower case. */
  readonly code: string;
  readonly errors?: readonly Pick<FieldError, 'field' | 'code'>[] | undefined;
}

/** The end of an operation. */
export interface OperationEnd {
  readonly name: string;
  readonly kind: Asking['token']['kind'] | null;
  /** Null without an error. */
  readonly code: ErrorCode | null;
  readonly milliseconds: number;
}

/** Receives the operations of requests as they end. */
export interface OperationObserver {
  readonly countOperation: (end: OperationEnd) => void;
}

/** The parts of the caller that are known. */
interface Asking {
  readonly token: { readonly id: string; readonly kind: 'master' | 'public' | 'user'; readonly userId: string | null };
  readonly customer: { readonly id: string | null } | null;
}

export class RequestStats {
  /** The id of the request; empty for a command. */
  requestId = '';
  /** The client's address, as the server or a trusted proxy knows it. */
  address = '';
  /** The pattern of its path, such as `/channels/:channel/entries`; empty until it ends. */
  route = '';
  /** The id of its site; null until the caller's access to it is checked. */
  site: string | null = null;
  tokenId: string | null = null;
  tokenKind: Asking['token']['kind'] | null = null;
  /** The id of the user whose token it is; null for other tokens. */
  user: string | null = null;
  /** The id of the customer whose session came with it. */
  customer: string | null = null;
  /** Number of rows that its statements returned. */
  rows = 0;
  /** Total time of its statements in milliseconds, concurrent ones included. */
  databaseMilliseconds = 0;
  /** Counts its operations; null for none. */
  observer: OperationObserver | null = null;
  /** The response to the request; null for a command. */
  answer: object | null = null;
  /**
   * The first fault of the service or the database in a component of a response that is otherwise successful; undefined
   * without one.
   */
  fault: unknown = undefined;
  #operations: readonly string[] = [];
  #codes: readonly string[] = [];
  #invalid: readonly string[] = [];

  /** The distinct names of its operations. */
  get operations(): readonly string[] {
    return this.#operations;
  }

  /** The distinct codes of its errors. */
  get codes(): readonly string[] {
    return this.#codes;
  }

  /** The invalid fields with their codes, as `title: required`. */
  get invalid(): readonly string[] {
    return this.#invalid;
  }

  /** Notes the caller. */
  noteCaller({ token, customer }: Asking): void {
    this.tokenId = token.id;
    this.tokenKind = token.kind;
    this.user = token.userId;
    this.customer = customer?.id ?? null;
  }

  /** Notes the start of an operation. */
  noteOperation(name: string): void {
    if (!this.#operations.includes(name)) this.#operations = [...this.#operations, name];
  }

  /** Notes the end of an operation. @param code the code of its error; null without one */
  endOperation(name: string, code: ErrorCode | null, milliseconds: number): void {
    this.observer?.countOperation({ name, kind: this.tokenKind, code, milliseconds });
  }

  /** Notes an error of the answer. Of its fields only names and codes are kept, never values. */
  noteError({ code, errors = [] }: LoggedError): void {
    this.#codes = addTo(this.#codes, code);
    for (const { field, code: cause } of errors.slice(0, maxLoggedErrors)) {
      this.#invalid = addTo(this.#invalid, `${fieldShape.test(field) ? field : '…'}: ${cause}`);
    }
  }

  /** Notes a fault in a component of the response, for the log alone. */
  noteFault(error: unknown): void {
    this.fault ??= error;
  }

  /** Notes that an error arose in the request, so that an unhandled rejection ends this request and no other. */
  own(error: unknown): void {
    noteOwner(error, this);
  }

  /** Runs a statement, and adds its time and its rows. @returns its result @throws as the statement */
  measure<Result>(run: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    return run().then(
      (result) => {
        this.databaseMilliseconds += performance.now() - begun;
        if (Array.isArray(result)) this.rows += result.length;
        else if (typeof result === 'object' && result !== null) this.rows += 1;
        return result;
      },
      (error: unknown) => {
        this.databaseMilliseconds += performance.now() - begun;
        this.own(error);
        throw error;
      },
    );
  }
}

function addTo(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) || list.length >= maxLoggedErrors ? list : [...list, item];
}
