import type { Exchange } from './exchange.mjs';
export function judgeAnswers(judge: (exchange: Exchange) => string[] | Promise<string[]>): void;
export function judged(): Promise<void>;
export interface WatchedLog {
  readonly write: (text: string) => void;
  readonly end: () => void;
}
export function watchedLog(): WatchedLog;
export function watchedEnvironment(): Record<string, string>;
