import type { Client } from 'pg';

/** See content.mjs. */
export function countYears(entries: number): number;
export function rareWord(entries: number): string;
export function articleId(channel: string, number: number): string;
export function createArticles(
  ask: (query: string, variables: Record<string, unknown>) => Promise<unknown>,
  id: string,
  settings?: Record<string, unknown>,
): Promise<void>;
export function loadArticles(
  client: Client,
  channel: string,
  count: number,
  members?: { readonly acl?: string; readonly owner?: string },
): Promise<void>;
export function spreadArticles(client: Client, channel: string, sites: number, perSite: number): Promise<void>;
export function withoutIndexes(client: Client, work: () => Promise<void>): Promise<void>;
