// Webhooks of a site that tests use, their log, and their queue.
import { expect } from '@jest/globals';
import { expectEntry } from './expect.ts';
import type { Received } from './receiver.ts';
import type { Scene } from './scene.ts';

export interface Hook {
  readonly id: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly failing_since: string | null;
}

export interface Delivery {
  readonly id: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly milliseconds: number | null;
  readonly next_attempt_at: string | null;
  readonly at: string;
  readonly change: { type: string; id: string } | null;
}

export async function createHook({ master }: Scene, body: Record<string, unknown>): Promise<Hook> {
  const answer = await master.rest<Hook>('POST', '/webhooks', { body });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('whsec_')]);
  return answer.body;
}

export async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', '/channels/articles/entries', { body }), 201).id;
}

export async function log({ master }: Scene, { id }: Hook): Promise<Delivery[]> {
  const answer = await master.rest<Delivery[]>('GET', `/webhooks/${id}/deliveries?per_page=250`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Waits until something is so. */
export async function until<Value>(find: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await find();
    if (isSo(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Makes all that waits for a site's webhooks due now. */
export async function hurry({ db, site }: Scene): Promise<void> {
  await db.webhookEvent.updateMany({ where: { siteId: site.id }, data: { dueAt: new Date(0) } });
}

export const typesOf = (received: readonly Received[]): string[] => received.map(({ body }) => body.type);
