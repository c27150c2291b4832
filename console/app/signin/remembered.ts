// Whether this browser has a sign-in. Its cookie is out of a page's sight, so that without this each visitor of the console would ask
// the service for a token. It holds no secret.
const key = 'entryway.signed-in';

export function isSignInLikely(): boolean {
  return localStorage.getItem(key) !== null;
}

/** Remembers that somebody has gone to a provider, and may come back with a sign-in. */
export function rememberLeaving(): void {
  localStorage.setItem(key, 'soon');
}

/** Whether somebody has gone to a provider before. */
export function hasLeft(): boolean {
  return localStorage.getItem(key) === 'soon';
}

export function rememberSignIn(isThere: boolean): void {
  if (isThere) localStorage.setItem(key, 'yes');
  else localStorage.removeItem(key);
}
