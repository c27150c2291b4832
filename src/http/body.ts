// Reading a JSON body: of bounded size, in UTF-8 (RFC 8259 §8.1), and nothing mended on the way.
import { isUtf8 } from 'node:buffer';
import { json, type RequestHandler } from 'express';
import { fail } from '../errors.ts';

/**
 * Parses JSON bodies.
 * @param limit how many bytes a body may have
 * @param type which requests have one; by default those that name application/json
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
