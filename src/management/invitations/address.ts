// The address of the page that takes a link's token: an invitation's, or one that sets a password (docs/contract.md §14.2, §14.8).

/** Makes a link. Its token stands behind the `#`, so that no server's log has it. @param baseUrl the service's, without a slash at the end */
export function linkAddress(baseUrl: string, token: string): string {
  return `${baseUrl}/console/invitation#${token}`;
}
