// The messages between a command and a running service: one JSON document each way, as the bodies of a request and a
// response of HTTP.
import { z } from 'zod';
import { errorTable, type ErrorCode } from '../../base/errors.ts';
import { readVersion } from '../../base/version.ts';

/** A command and a service understand each other only if they have the same version. */
export const ownVersion = readVersion();

/** The path of messages with rows of an import; all others are small. */
export const rowsPath = '/rows';

/** The part of a request that is equal in every version. */
export const versionedRequest = z.object({ version: z.string().max(100) });

export const requestMessage = z.strictObject({
  version: z.string(),
  call: z.string(),
  input: z.unknown(),
  now: z.iso.datetime().transform((text) => new Date(text)),
});

const errorCode = z.string().refine((code): code is ErrorCode => Object.hasOwn(errorTable, code));

export const responseMessage = z.union([
  z.strictObject({ error: z.strictObject({ code: errorCode, detail: z.string() }) }),
  z.strictObject({ result: z.unknown() }),
]);

export type RequestMessage = z.input<typeof requestMessage>;
export type ResponseMessage = z.output<typeof responseMessage>;
