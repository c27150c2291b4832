// The secret of a link, which stands behind `#` in the address of the page.

/** Takes the secret out of the address, where it would stay in the history of the browser. */
export function takeSecret(): string {
  const secret = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  return secret;
}
