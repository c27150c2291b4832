// The service on the embedded database is killed, and so is the command, while a site is imported or deleted
// (docs/contract.md §12.1, §12.4): nothing is imported, and the same command completes the work afterwards.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { callThroughSocket, findCommandSocket } from '../../src/cli/operator/socketClient.ts';
import { entryway, serve, start, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { makeStalledFile } from '../support/stalledFile.ts';

const patienceMilliseconds = 120_000;
const running: Pick<ServiceProcess, 'child'>[] = [];

afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  removeScratch();
});

async function kill({ child }: Pick<ServiceProcess, 'child'>): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
}

/** Makes a call of a running service, as a command does. */
async function call(dataDir: string, ...[name, input]: [Parameters<typeof callThroughSocket>[1], object]) {
  const socket = await findCommandSocket(dataDir);
  if (socket === null) throw new Error(`No service takes commands in ${dataDir}.`);
  return callThroughSocket(socket, name, input, new Date());
}

/** Waits until a site is being imported: it is refused with those words. */
async function untilImporting(dataDir: string, id: string): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMilliseconds; ;) {
    const found = await call(dataDir, 'showSite', { id }).then(
      () => 'shown',
      (error: unknown) => String(error),
    );
    if (found.includes('is being imported')) return;
    if (performance.now() > giveUpAt) throw new Error(found);
    await sleep(20);
  }
}

test('an import and a deletion during which the service is killed are completed by the same commands', async () => {
  const [dataDir, files] = [scratchDirectory(), scratchDirectory()];
  const run = (...args: string[]) => entryway(args, { DATA_DIR: dataDir });
  const service = await serve({ DATA_DIR: dataDir });
  running.push(service);
  const file = join(files, 'demo.gz');
  expect(await run('site', 'export', 'demo', '-o', file)).toMatchObject({ code: 0 });

  // The first call of a deletion shuts everybody out, and deletes a part.
  const part = await call(dataDir, 'deleteSite', { id: 'demo', confirm: 'demo' });
  expect(part).toMatchObject({ isDone: false });
  const content = readFileSync(file);
  const stalling = makeStalledFile(files, content, content.length - 20);
  const importing = start(['site', 'import', stalling.path, '--as', 'copy'], { DATA_DIR: dataDir });
  running.push({ child: importing });
  await stalling.stalled;
  await untilImporting(dataDir, 'copy');
  await kill(service);
  await kill({ child: importing });
  stalling.end();

  const listed = async (): Promise<string[]> => {
    const { stdout } = await run('site', 'list', '--json');
    return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
  };
  expect(await listed()).toEqual(['demo']);
  const tokens = JSON.parse((await run('token', 'list', '--site', 'demo', '--json')).stdout) as {
    revoked_at: unknown;
  }[];
  expect(tokens.filter(({ revoked_at: at }) => at === null)).toEqual([]);
  expect(await run('site', 'delete', 'demo', '--confirm', 'demo')).toMatchObject({ code: 0 });
  expect(await listed()).toEqual([]);
  expect(await run('site', 'import', file)).toMatchObject({ code: 0 });
  // This one waits until the import before it has written nothing for ten seconds.
  expect(await run('site', 'import', file, '--as', 'copy')).toMatchObject({ code: 0 });
  expect((await listed()).sort()).toEqual(['copy', 'demo']);
  const again = join(files, 'again.gz');
  expect(await run('site', 'export', 'demo', '-o', again)).toMatchObject({ code: 0 });
  expect(readFileSync(again).equals(content)).toBe(true);
});
