// The time for which the client of the commands over HTTP waits for a service that was never there;
// test/pure/unit/transfer.faults.test.ts has one that goes away.
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { ApiClient } from '../../../clients/cli/src/service/apiClient.ts';

test('a command gives up on a service that was never reachable, and explains where it may be', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const said: string[] = [];
  const connection = { url, token: 'x', site: undefined, patience: 3_600_000 };
  const client = new ApiClient({ ...connection, signal: new AbortController().signal, say: (line) => said.push(line) });
  await expect(client.request('/channels')).rejects.toThrow(
    new RegExp(`^Nothing answers at ${url}: .+ --url or ENTRYWAY_URL where it is\\.$`),
  );
  expect(said).toEqual([expect.stringMatching(/^Waiting for the service: /)]);
}, 600_000);
