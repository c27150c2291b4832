// Reads JSON bodies: of bounded size, and in strict UTF-8 (RFC 8259 §8.1), where the body parser would replace bad bytes.
import { isUtf8 } from 'node:buffer';
import { json, type RequestHandler } from 'express';
import { fail } from '../errors.ts';

/**
 * Middleware that parses JSON bodies.
 * @param limit in bytes
 * @param type which requests have a JSON body; by default those with the media type application/json
 */
export function jsonBody({ limit, type }: { limit: number; type?: () => boolean }): RequestHandler {
  return json({
    ...(type && { type }),
    limit,
    verify: (_request, _response, bytes, charset) => {
      if (charset !== 'utf-8') fail('unsupported_media_type', 'Send the body in UTF-8.');
      if (bytes.length === 0) fail('bad_request', 'The body is empty.');
      if (!isUtf8(bytes)) fail('bad_request', 'The body is not UTF-8.');
    },
  });
}
