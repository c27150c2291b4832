export function judgeRun(
  directory: string,
  drivers: readonly string[] | null,
): { readonly lines: string[]; readonly isClean: boolean };
