// Commands over HTTP where no service is: how soon they give up, what they say, and which address they take by default.
import { createServer, type AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, jest, test } from '@jest/globals';
import { fakeToken } from '../../support/fakeService.ts';
import { entryway } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

// Far less than the 300 seconds for which a command waits for a service that it has reached before.
jest.setTimeout(200_000);

afterAll(removeScratch);

/** The address of a port at which nobody listens. */
async function emptyAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test('each command over HTTP gives up where nothing ever answered, and names --url and ENTRYWAY_URL', async () => {
  const [directory, url] = [scratchDirectory(), await emptyAddress()];
  const rows = join(directory, 'rows.ndjson');
  writeFileSync(rows, '{"title": "One"}\n');
  const lines = [
    ['export', '--channel', 'films'],
    ['import', rows, '--channel', 'films'],
    ['types'],
    ['schema', '--url', url],
    ['sync', '-o', join(directory, 'copy.ndjson')],
    ['sync', '--follow', '-o', join(directory, 'followed.ndjson')],
    ['explain', 'dune', '--channel', 'films', '--as', 'anonymous'],
  ];
  const environment = { ENTRYWAY_URL: url, ENTRYWAY_TOKEN: fakeToken };
  const ends = await Promise.all(lines.map((line) => entryway(line, environment)));
  for (const [at, { code, stderr }] of ends.entries()) {
    expect([lines[at]?.[0], code]).toEqual([lines[at]?.[0], 1]);
    expect(stderr).toMatch(
      new RegExp(`Nothing answers at ${url}: connect ECONNREFUSED .*\\. Start the service, or .*--url or ENTRYWAY_URL`),
    );
    expect(stderr).not.toContain(fakeToken);
  }
});

test('the port of the default address is that of PORT in the environment, never that of a file .env', async () => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, '.env'), 'PORT=4712\n');
  const defaultWith = async (environment: Record<string, string>): Promise<string | undefined> => {
    const { stdout } = await entryway(['export', '--help'], environment, directory);
    return /default: (http:\/\/127\.0\.0\.1:\d+)/.exec(stdout.replace(/\s+/g, ' '))?.[1];
  };
  expect(await defaultWith({ PORT: '4711' })).toBe('http://127.0.0.1:4711');
  for (const PORT of ['', '0', '70000', 'http', '1e3']) {
    expect([PORT, await defaultWith({ PORT })]).toEqual([PORT, 'http://127.0.0.1:4000']);
  }
});
