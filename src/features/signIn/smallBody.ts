// Reads the small JSON bodies of these paths, whose requests are not repeated by a key.
import { fail } from '../../base/errors.ts';
import type { Limits } from '../../config/config.ts';
import type { HttpRequest, HttpResponse } from '../../http/messages.ts';
import { bodyReader, type BodyAdmission } from '../../http/request.ts';
import { requireJson } from '../../rest/mediaTypes.ts';

/** A small body waits for no slot. */
const smallBody: BodyAdmission = {
  enterValues: () => undefined,
  shares: { readAlone: (work) => Promise.resolve(work()) },
};

/** Refuses an `Idempotency-Key`. @param where the paths, in the words of the refusal @throws bad_request */
export function refuseIdempotencyKey(request: HttpRequest, where: string): void {
  if (request.headersDistinct['idempotency-key'] === undefined) return;
  fail('bad_request', `There is no Idempotency-Key ${where}: leave it out.`);
}

/** Makes a reader of JSON bodies. @param maxBytes their maximum size */
export function smallBodyReader(
  limits: Limits,
  maxBytes: number,
): (request: HttpRequest, response: HttpResponse) => Promise<unknown> {
  const read = bodyReader({ ...limits, body: Math.min(limits.body, maxBytes) }, () => true);
  return async (request, response) => {
    requireJson(request);
    await read(request, response, smallBody);
    return request.body;
  };
}
