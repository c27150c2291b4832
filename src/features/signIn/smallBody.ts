// Reads the small JSON bodies of these paths.
import type { Limits } from '../../config/config.ts';
import type { HttpRequest, HttpResponse } from '../../http/messages.ts';
import { bodyReader, type BodyAdmission } from '../../http/request.ts';
import { requireJson } from '../../rest/mediaTypes.ts';

/** A small body waits for no slot. */
const smallBody: BodyAdmission = {
  enterValues: () => undefined,
  shares: { readAlone: (work) => Promise.resolve(work()) },
};

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
