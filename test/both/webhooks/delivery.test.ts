// Webhooks (docs/contract.md §9.3): what is sent to a receiver, signed, in which order, and what is logged.
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';
import { expectEntry } from '../../support/expect.ts';
import { startReceiver, type Received } from '../../support/receiver.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });
const path = '/channels/articles/entries';

interface Hook {
  readonly id: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly failing_since: string | null;
}

interface Delivery {
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

async function createHook({ master }: Scene, body: Record<string, unknown>): Promise<Hook> {
  const answer = await master.rest<Hook>('POST', '/webhooks', { body });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('whsec_')]);
  return answer.body;
}

async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', path, { body }), 201).id;
}

async function log({ master }: Scene, { id }: Hook): Promise<Delivery[]> {
  const answer = await master.rest<Delivery[]>('GET', `/webhooks/${id}/deliveries?per_page=250`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Waits until something about a webhook is so. */
async function until<Value>(find: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await find();
    if (isSo(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Makes all that waits for a site's webhooks due now. */
async function hurry({ db, site }: Scene): Promise<void> {
  await db.webhookEvent.updateMany({ where: { siteId: site.id }, data: { dueAt: new Date(0) } });
}

const typesOf = (received: readonly Received[]): string[] => received.map(({ body }) => body.type);

describe('what is sent', () => {
  test('each change, with the entry as it is, in a message that its signature proves', async () => {
    const scene = await buildScene(app, { publishable: true });
    const receiver = await startReceiver();
    const hook = await createHook(scene, { url: receiver.url });
    const id = await create(scene, { title: 'One', _status: 'published', _owner: 'ada' });
    const [created, published] = await receiver.wait(2);
    expect(typesOf(receiver.received)).toEqual(['entry.created', 'entry.published']);
    for (const message of [created, published]) {
      expect(new Webhook(hook.secret).verify(message?.text ?? '', message?.headers ?? {})).toEqual(message?.body);
    }
    expect(() => new Webhook(hook.secret).verify(`${created?.text} `, created?.headers ?? {})).toThrow();
    const entry = await scene.master.rest('GET', `${path}/${id}`);
    expect(created?.body.data.entry).toEqual({ ...entry.body });
    const feed = await scene.master.rest<{ changes: { type: string; cursor: string }[] }>('GET', '/changes');
    expect(created?.body.data.change).toEqual(feed.body.changes.at(-2));
    expect(published?.body.data.change).toEqual(feed.body.changes.at(-1));
    expect(created?.headers['webhook-id']).not.toBe(published?.headers['webhook-id']);
    expect(created?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Entryway' });
    expect(created?.headers).not.toHaveProperty('cookie');
    const logged = await until(
      () => log(scene, hook),
      (list) => list.length === 2,
    );
    expect(logged[0]).toMatchObject({ attempt: 1, status: 204, error: null, answer: '', next_attempt_at: null });
    expect(logged[0]?.change).toEqual(feed.body.changes.at(-1));
  });
});
