// The address of a screen: a path behind `#`, whose parts are encoded.

/** Decodes a part of an address, or a whole one; null if it is malformed. Pure. */
export function decodeAddress(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
