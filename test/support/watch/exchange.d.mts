/** A request and its answer, as http.mjs tells them. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly (readonly [string, string])[];
  readonly requestBody: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}
export function findingsIn(exchange: Exchange): string[];
