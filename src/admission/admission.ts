// Admits a request: its rates, slots, budget and rights, whichever door it came through.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../config/config.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { identify, lacksSite, readSecret, type Identity, type IdentifiedRequest } from '../auth/identify.ts';
import { makeKeyHolder, unsealKey, type KeyHolder } from '../auth/keyHolder.ts';
import type { Credentials } from '../auth/tokens.ts';
import { budgetWithin, createBudget, type Budget } from './budget.ts';
import type { CountedRequest, RateLimits } from './rateLimits.ts';
import type { LimitedCount } from './rateWindows.ts';
import { trackRights, type Rights } from './rights.ts';
import type { CallerShares, Shares } from './shares.ts';
import { endIfSlow } from './slowBodies.ts';
import type { HeldOpen, HeldRequest } from './streams.ts';

/** The admission of a request, as its operations use it. */
export interface Admission {
  /** Whether the caller may go on. `perform` checks it before each operation. */
  readonly rights: Rights;
  readonly limits: Limits;
  /** The rest of the request's budget. */
  readonly budget: Budget;
  /** The owner of the request's Idempotency-Key. */
  keyHolder(): KeyHolder;
  /**
   * Counts operations against the limits of the token and of the address, then waits for the caller's slot.
   * @param fields the number of fields that the request may resolve
   * @throws rate_limited; unavailable after too long a wait
   */
  admit(operations: number, fields: number): PromiseOrValue<void>;
  /**
   * Holds the request open until something happens in its site, and gives back its slots.
   * @throws rate_limited, unavailable if too many requests are held open
   */
  holdOpen(): HeldOpen;
}

/** A request that was counted for its address. */
export type AdmittedRequest = IncomingMessage & IdentifiedRequest & { readonly counted: CountedRequest };

/** A response; its headers report the rate limit. */
export type AdmittedResponse = ServerResponse & { rateLimit: LimitedCount | null };

/** The parts of the process that admit requests. */
export interface AdmissionParts extends Credentials {
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  readonly shares: Shares;
  /** Holds a request open. */
  readonly holdOpen: (request: HeldRequest) => HeldOpen;
}

/** Emitted by a response whose request is now held open: it gives back its slots. */
const heldOpen = 'heldOpen';

/** The longest time that the sending of a large answer delays the making of the next one, in milliseconds. */
const maxSending = 2_000;

/**
 * The admission of an authenticated request. Its slots are given back when its response is made, or its client is gone.
 */
export class RequestAdmission implements Admission {
  readonly rights: Rights;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly identity: Identity;
  readonly shares: CallerShares;
  readonly #request: AdmittedRequest;
  readonly #response: AdmittedResponse;
  /** Identifies the caller in the queues of the process: by a token, and for a public token also an address. */
  readonly caller: string;
  /** Whether it is about no site: it names none, and need not. */
  readonly isWithoutSite: boolean;
  readonly #parts: AdmissionParts;

  /** @param needsSite whether a request that names no site is refused */
  constructor(
    request: AdmittedRequest,
    response: AdmittedResponse,
    identity: Identity,
    parts: AdmissionParts,
    needsSite: boolean,
  ) {
    const { token, site } = identity;
    this.#request = request;
    this.#response = response;
    // Many callers have the same public token: each address has shares of its own.
    this.caller = token.kind === 'public' ? `${token.id} ${request.network}` : token.id;
    this.#parts = parts;
    this.identity = identity;
    this.limits = parts.limits;
    this.shares = parts.shares.of(this.caller, site ?? undefined);
    this.isWithoutSite = !needsSite && lacksSite(token, request.headersDistinct);
    this.rights = trackRights(identity, () => identify(request, parts), this.isWithoutSite);
    this.budget = createBudget(parts.limits.answer, () =>
      holdSlot(this.shares.enterLargeAnswer(), response, maxSending),
    );
  }

  /** Waits for a slot to read the request's body and to work on it. @throws unavailable after too long a wait */
  enterBody(): PromiseOrValue<void> {
    const { 'content-length': [declared] = [], 'content-encoding': encodings } = this.#request.headersDistinct;
    // A compressed body may expand up to the limit.
    const length = encodings === undefined && declared !== undefined ? Number(declared) : this.limits.body;
    return andThen(holdSlot(this.shares.enterBody(length), this.#response), () =>
      endIfSlow(this.#request, this.#response, () => this.shares.bodiesLackRoom()),
    );
  }

  /** Waits for room for a body with so many members and items. @throws unavailable after too long a wait */
  enterValues(count: number): PromiseOrValue<void> {
    return holdSlot(this.shares.enterValues(count), this.#response);
  }

  admit(operations: number, fields: number): PromiseOrValue<void> {
    const { rateLimits } = this.#parts;
    this.#response.rateLimit = rateLimits.admitOperations(this.#request.counted, this.identity.token, operations);
    return holdSlot(this.shares.enterWork(fields), this.#response);
  }

  keyHolder(): KeyHolder {
    const { token, sessionToken = '' } = this.identity;
    const sent = readSecret(this.#request.headersDistinct);
    const secret = token.sealedKey === null ? sent : unsealKey(token.sealedKey, sent);
    return makeKeyHolder({ id: token.id, secret }, sessionToken);
  }

  holdOpen(): HeldOpen {
    const { token } = this.identity;
    const held = this.#parts.holdOpen({
      caller: this.caller,
      sharedToken: token.kind === 'public' ? token.id : null,
      response: this.#response,
      renewRights: this.rights.renew,
    });
    this.#response.emit(heldOpen);
    return held;
  }
}

/** The admission of a request inside its transaction, with the rights that its caller has there. */
export function admissionWithin(outer: Admission, rights: Rights): Admission {
  return {
    rights,
    limits: outer.limits,
    budget: budgetWithin(outer.budget),
    keyHolder: () => outer.keyHolder(),
    admit: (operations, fields) => outer.admit(operations, fields),
    holdOpen: () => outer.holdOpen(),
  };
}

/**
 * Holds a slot until the response is made, or its client is gone.
 * @param milliseconds the longest time for which the slot is held on while the response is sent
 */
function holdSlot(
  entering: PromiseOrValue<() => void>,
  response: ServerResponse,
  milliseconds = 0,
): PromiseOrValue<void> {
  return andThen(entering, (leave) => {
    if (response.writableEnded || response.destroyed) {
      leave();
      return;
    }
    // Each event is emitted once, and leaving twice does nothing.
    response.on('close', leave).on(heldOpen, leave);
    if (milliseconds === 0) response.on('prefinish', leave);
    else response.on('finish', leave).on('prefinish', () => setTimeout(leave, milliseconds).unref());
  });
}
