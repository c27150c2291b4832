import type { OwnServer } from './postgresql.mjs';

export function findCitus(): string | null;

export interface CitusServers {
  readonly servers: OwnServer[];
  stop(): Promise<void>;
}

export interface CitusOptions {
  readonly workers?: number;
  readonly isDurable?: boolean;
  readonly conf?: readonly string[];
}

export function startCitus(bin: string, options?: CitusOptions): Promise<CitusServers>;
export function databaseUrl(serverUrl: string, name: string): string;
export function createDatabase(urls: readonly string[], name: string, template?: string | null): Promise<string>;
export const citusConf: readonly string[];
export function dropDatabase(urls: readonly string[], name: string): Promise<void>;
export function addNode(coordinator: string, worker: string): Promise<void>;
export function query(url: string, text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
