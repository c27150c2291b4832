// Single flight: concurrent callers with the same key share one call.

/** Flights by key: a Map, or a cache that bounds those that have landed and lets them expire. */
interface Flights<Value> {
  get(key: string): Promise<Value> | undefined;
  set(key: string, flight: Promise<Value>): unknown;
  delete(key: string): unknown;
}

interface FlightOptions<Value> {
  /**
   * Keeps results, which are shared as long as it has them; absent if only running calls are shared. Failures are never
   * kept.
   */
  readonly kept?: Flights<Value>;
  /**
   * Whether a failure is one for all callers that wait for it; otherwise they make another call. Absent if every
   * failure is.
   */
  readonly sharesFailure?: (error: unknown) => boolean;
}

/**
 * The number of failures of other calls that a caller does not take for its own. It fails with the next one: otherwise all
 * callers would begin calls at once.
 */
const maxFailures = 2;

export class SingleFlight<Value> {
  readonly #flights: Flights<Value>;
  readonly #keepsResults: boolean;
  readonly #sharesFailure: (error: unknown) => boolean;

  constructor({ kept, sharesFailure = () => true }: FlightOptions<Value> = {}) {
    this.#flights = kept ?? new Map<string, Promise<Value>>();
    this.#keepsResults = kept !== undefined;
    this.#sharesFailure = sharesFailure;
  }

  /**
   * Shares the call of another caller with the same key, or makes one.
   * @param call makes it; once it calls the function that it gets, later callers make another one. It must not do so at
   *   once.
   * @param isUsable whether a shared result will do; otherwise a newer one is shared, or made. Absent if each will do
   * @throws the errors of its own call, and failures of others that are shared
   */
  async run(
    key: string,
    call: (close: () => void) => Promise<Value>,
    isUsable?: (value: Value) => boolean,
  ): Promise<Value> {
    let failures = 0;
    for (let flight = this.#flights.get(key); flight !== undefined;) {
      try {
        const value = await flight;
        if (isUsable === undefined || isUsable(value)) return value;
      } catch (error) {
        failures += 1;
        if (failures > maxFailures || this.#sharesFailure(error)) throw error;
      }
      const newer = this.#flights.get(key);
      flight = newer === flight ? undefined : newer;
    }
    return this.#begin(key, call);
  }

  #begin(key: string, call: (close: () => void) => Promise<Value>): Promise<Value> {
    const flight: Promise<Value> = call(() => this.#forget(key, flight));
    this.#flights.set(key, flight);
    const forget = (): void => this.#forget(key, flight);
    flight.then(this.#keepsResults ? () => undefined : forget, forget);
    return flight;
  }

  /** Forgets a flight, unless another one has replaced it. */
  #forget(key: string, flight: Promise<Value>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
