// Where the console is, for the router.
import { useHashLocation } from 'wouter/use-hash-location';

/**
 * The path behind `#` as it stands there. The router decodes a path before it splits it, in part: `%2F` stays and `%25` does not, so
 * that nobody can tell what was encoded. What is escaped here comes out of that as it was, and each part is decoded once
 * (`decodeAddress`).
 */
export function useAddress(): ReturnType<typeof useHashLocation> {
  const [path, navigate] = useHashLocation();
  return [path.replaceAll('%', '%25'), navigate];
}

useAddress.hrefs = (path: string): string => `#${path}`;
