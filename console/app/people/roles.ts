// Roles as one types them: with commas between them. A role with a comma stands in double quotes, as in the parameter `as`
// (docs/contract.md §10). Pure.

/** One item of the list with the comma behind it: in double quotes, a quote inside written twice, or up to the next comma. */
const item = /\s*(?:"((?:[^"]|"")*)"\s*|([^\s",][^,]*|))(?:,|$)/y;

/** The roles of a text; null if a double quote is not closed, or something else than a comma follows it. */
export function parseRoles(text: string): readonly string[] | null {
  const roles: string[] = [];
  for (let at = 0; at < text.length; at = item.lastIndex) {
    item.lastIndex = at;
    const found = item.exec(text);
    if (found === null) return null;
    const role = found[1]?.replaceAll('""', '"') ?? found[2]?.trim() ?? '';
    if (role !== '') roles.push(role);
  }
  return roles;
}

/** Roles as a text, which `parseRoles` reads. @param separator what stands between two */
export function formatRoles(roles: readonly string[], separator = ', '): string {
  const quoted = roles.map((role) => (/^[\s"]|,|\s$/.test(role) ? `"${role.replaceAll('"', '""')}"` : role));
  return quoted.join(separator);
}
