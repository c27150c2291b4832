export interface WatchedLog {
  readonly write: (text: string) => void;
  readonly end: () => void;
}
export function watchedLog(): WatchedLog;
export function watchedEnvironment(): Record<string, string>;
