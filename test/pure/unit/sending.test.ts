// The division of what a process sends at the same time among webhooks (docs/contract.md §9.3), on a queue that is not
// a database.
import { afterEach, expect, test } from '@jest/globals';
import { WebhookSender, type SenderParts } from '../../../src/features/webhooks/delivery/sender.ts';
import { usualSettings, type SenderSettings } from '../../../src/features/webhooks/delivery/settings.ts';

const webhooks = 12;

interface Taking {
  readonly webhook: number;
  readonly resolve: (events: readonly unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/** A queue in which all webhooks are due, each of a site of its own. What is taken from it waits for the test. */
class Queue {
  readonly taking: Taking[] = [];
  readonly errors: unknown[] = [];
  isLeader = true;
  readonly sender: WebhookSender;

  constructor(settings: Partial<SenderSettings>) {
    const all = Array.from({ length: webhooks }, (_, at) => ({ siteId: `site${at}`, webhookId: `hook${at}` }));
    const $queryRaw = (texts: readonly string[], ...values: unknown[]): Promise<unknown> => {
      const text = texts.join('?');
      if (text.includes('w.site_id AS site')) return Promise.resolve(all.map(({ siteId }) => ({ site: siteId })));
      if (text.includes('SELECT DISTINCT e.site_id')) return Promise.resolve(all);
      if (!text.includes('WITH due AS')) return Promise.resolve([]);
      const webhook = all.findIndex(({ webhookId }) => values.includes(webhookId));
      return new Promise((resolve, reject) => this.taking.push({ webhook, resolve, reject }));
    };
    const prisma = { $queryRaw, $executeRaw: () => Promise.resolve(0) };
    const parts = {
      own: () => prisma,
      database: { statements: { read: () => Promise.resolve([{}]) } },
      liveChanges: { watchToQueue: () => () => undefined },
      directory: { isLeader: () => this.isLeader },
      config: { webhooks: { allowPrivate: false, allowHttp: false } },
      log: { warn: ({ err }: { readonly err: unknown }) => this.errors.push(err) },
    };
    this.sender = new WebhookSender(parts as unknown as SenderParts, { ...usualSettings, ...settings });
    queues.push(this);
  }

  /** Answers what is taken, and what is taken because of that. */
  async answerAll(answer: (taking: Taking) => void): Promise<void> {
    while (this.taking.length > 0) {
      for (const each of this.taking.splice(0)) answer(each);
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    }
  }
}

const queues: Queue[] = [];
afterEach(async () => {
  for (const queue of queues.splice(0)) {
    const closed = queue.sender.close();
    await queue.answerAll(({ resolve }) => resolve([]));
    await closed;
  }
});

/** An event whose message is refused before it is sent, by the form of its URL. */
function failing(webhook: number): object {
  const name = { siteId: `site${webhook}`, webhookId: `hook${webhook}`, place: 1, holder: '', deliveryId: 'x' };
  const change = {
    subject: 'test',
    isManual: false,
    type: 'webhook.test',
    at: new Date(0),
    channel: null,
    entryId: null,
  };
  const state = { version: null, cursor: 'c', audience: 'public', attempts: 0, isFailing: false, secrets: [] };
  return { ...name, ...change, ...state, url: 'http://receiver.example/' };
}

test('twelve failing webhooks that are due at once take half of a process’s sendings, and then the rest', async () => {
  const queue = new Queue({ maxInProcess: 8, maxOfSite: 8 });
  await queue.sender.look();
  const failed = new Set<number>();
  await queue.answerAll(({ webhook, resolve }) => {
    resolve(failed.has(webhook) ? [] : [failing(webhook)]);
    failed.add(webhook);
  });
  expect(failed.size).toBe(webhooks);
  expect(queue.errors).toEqual([]);
  await queue.sender.look();
  expect(queue.taking.length).toBe(4);
  const taken = new Set<number>();
  await queue.answerAll(({ webhook, resolve }) => {
    taken.add(webhook);
    resolve([]);
  });
  expect(taken.size).toBe(webhooks);
});

test('webhooks whose events cannot be read leave their room to others, and the next poll reads them, in a follower, too', async () => {
  const queue = new Queue({ maxInProcess: 8, maxOfSite: 8, maxAtOnce: 8 });
  await queue.sender.look();
  // One of them has all the room.
  expect(queue.taking.map(({ webhook }) => webhook)).toEqual([0]);
  const tried: number[] = [];
  await queue.answerAll(({ webhook, resolve, reject }) => {
    tried.push(webhook);
    if (webhook < 3) reject(new Error('away'));
    else resolve([]);
  });
  expect(tried.sort((a, b) => a - b)).toEqual(Array.from({ length: webhooks }, (_, at) => at));
  expect(queue.errors).toHaveLength(3);
  queue.isLeader = false;
  await queue.sender.look();
  const again: number[] = [];
  await queue.answerAll(({ webhook, resolve }) => {
    again.push(webhook);
    resolve([]);
  });
  expect(again.sort((a, b) => a - b)).toEqual([0, 1, 2]);
});
