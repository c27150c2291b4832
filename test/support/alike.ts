// Two requests that differ in one name must not differ in their answers: what is hidden answers like what is absent.
import { expect } from '@jest/globals';
import type { Caller, RestAnswer, RestOptions } from './as.ts';
import { tellingOf } from './expect.ts';

/** A request that a caller makes. */
export type Ask = (caller: Caller) => Promise<RestAnswer<unknown>>;

export const rest =
  (method: string, path: string, options: RestOptions = {}): Ask =>
  (caller) =>
    caller.rest(method, path, options);

/** A GraphQL request, whose answer is compared as the text that it is. */
export const graphql = (query: string): Ask => rest('POST', '/graphql', { body: { query } });

/** All that an answer tells but the request's id, with the name that was asked for taken out. */
async function toldOf(
  caller: Caller,
  naming: (name: string) => Ask,
  name: string,
): Promise<[object, RestAnswer<unknown>]> {
  const answer = await naming(name)(caller);
  const { text, ...rest } = tellingOf(answer);
  return [{ ...rest, text: String(text).replaceAll(name, 'NAME') }, answer];
}

/**
 * Expects the same answer, byte for byte but for the request's id and the name that was sent, whichever of two names
 * is sent. @returns the first answer
 */
export async function expectAlike(
  caller: Caller,
  naming: (name: string) => Ask,
  hidden: string,
  absent: string,
): Promise<RestAnswer<unknown>> {
  const [one, answer] = await toldOf(caller, naming, hidden);
  const [other] = await toldOf(caller, naming, absent);
  expect(one).toEqual(other);
  return answer;
}
