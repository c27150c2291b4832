// The paths of the service. Pure.

/**
 * Makes a path, with each value encoded: path`/channels/${id}`.
 * @throws Error for the values `.` and `..`, which browsers take out of an address, encoded or not
 */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  const step = values.find((value) => value === '.' || value === '..');
  if (step !== undefined) {
    throw new Error(`A browser cannot ask for the id “${step}”: in an address it is a step between folders.`);
  }
  return parts.reduce((made, part, index) => made + encodeURIComponent(values[index - 1] ?? '') + part);
}
