// The polls of a process for the webhooks of all sites (docs/contract.md §9.3).
import { expect, test } from '@jest/globals';
import { WebhookSender, type SenderParts } from '../../../src/features/webhooks/delivery/sender.ts';

test('a failed poll of all sites is repeated by the next poll, and a successful one is not', async () => {
  let looks = 0;
  const read = (): Promise<unknown[]> => {
    looks += 1;
    return looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve([]);
  };
  const parts = {
    own: () => null,
    database: { statements: { read } },
    directory: { isLeader: () => true },
    config: { webhooks: { allowPrivate: false, allowHttp: false } },
  };
  const sender = new WebhookSender(parts as unknown as SenderParts);
  await expect(sender.look()).rejects.toThrow('away');
  await sender.look();
  expect(looks).toBe(2);
  await sender.look();
  expect(looks).toBe(2);
});
