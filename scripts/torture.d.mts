/** See torture.mjs. */
export function torture(
  times: number,
  options?: { environment?: Record<string, string>; say?: (line: string) => void },
): Promise<{ kills: number; acknowledged: number; lost: string[]; doubled: string[]; torn: string[] }>;
