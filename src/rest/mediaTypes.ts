// The media types of bodies: JSON, and merge patches.
import { fail } from '../base/errors.ts';
import type { HttpRequest } from '../http/messages.ts';

/** The media type of merge patches (RFC 7396). */
export const mergePatchType = 'application/merge-patch+json';

/** The media types that PATCH takes (RFC 5789 §3.1). */
export const acceptPatch = `application/json, ${mergePatchType}`;

/** The media type of a request's body in lower case, without parameters; empty if it has none, or several. */
export function readMediaType({ headersDistinct: { 'content-type': types = [] } }: HttpRequest): string {
  return types.length === 1 ? (types[0]?.split(';', 1)[0]?.trim().toLowerCase() ?? '') : '';
}

/** Refuses a body with a media type other than JSON, or with none (415). PATCH takes a merge patch, too. */
export function requireJson(request: HttpRequest): void {
  const type = readMediaType(request);
  if (type === 'application/json') return;
  if (request.method !== 'PATCH') fail('unsupported_media_type', 'Send the body as application/json.');
  if (type === mergePatchType) return;
  fail('unsupported_media_type', {
    detail: `Send the body as application/json or ${mergePatchType}.`,
    headers: { 'Accept-Patch': acceptPatch },
  });
}

/** Whether a request has no body (RFC 9112 §6.3): then it needs no media type. */
export function isWithoutBody(request: HttpRequest): boolean {
  const { 'content-length': [length] = [], 'transfer-encoding': codings } = request.headersDistinct;
  return codings === undefined && (length === undefined || Number(length) === 0);
}
