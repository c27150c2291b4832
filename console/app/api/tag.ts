// The entity tag of an entry. Pure.

/**
 * The tag of an answer, as a write sends it back; null: there is none. A proxy that compresses marks tags as weak, and a weak tag
 * matches no version (RFC 9110 §13.1.1). The version in it is the same.
 */
export function readTag(headers: Headers): string | null {
  return headers.get('ETag')?.replace(/^W\//, '') ?? null;
}
