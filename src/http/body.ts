// Reading a JSON body: at most 1 MiB of UTF-8 (RFC 8259 §8.1), and nothing mended on the way.
import { isUtf8 } from 'node:buffer';
import { json, type RequestHandler } from 'express';
import { fail } from '../errors.ts';

/** Parses the bodies of a type; by default those that are named application/json. */
export function jsonBody(options: { type?: () => boolean } = {}): RequestHandler {
  return json({
    ...options,
    limit: '1mb',
    verify: (_request, _response, bytes, charset) => {
      if (charset !== 'utf-8') fail('unsupported_media_type', 'Send the body in UTF-8.');
      if (bytes.length === 0) fail('bad_request', 'The body is empty.');
      if (!isUtf8(bytes)) fail('bad_request', 'The body is not UTF-8.');
    },
  });
}
