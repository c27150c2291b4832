/** See failover.mjs. */
export function failover(options?: {
  writers?: number;
  writes?: number;
  isSilent?: boolean;
  environment?: Record<string, string>;
  say?: (line: string) => void;
}): Promise<{
  acknowledgedBefore: number;
  acknowledged: number;
  changes: number;
  refusedAfter: number;
  promotedAfter: number;
  writesAfter: number;
  clients: { unavailable: number; unanswered: number; replayed: number; failedReads: number };
  wrong: {
    stored: { lost: string[]; back: string[]; unknown: string[]; stale: string[] };
    feed: { missing: string[]; doubled: string[]; disordered: string[]; unknown: string[] };
  };
}>;
