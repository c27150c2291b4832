// What every command has in common: help, and refusals in one line.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeConfig } from '../../../src/config/variables.ts';
import { entryway } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';

const groups = [
  ...['migrate', 'site', 'user', 'member', 'token', 'audit', 'backup', 'restore'],
  ...['import', 'export', 'sync', 'explain', 'types'],
];
const commands = [
  'serve',
  'migrate',
  'migrate status',
  'site create',
  'site list',
  'site show',
  'site delete',
  'site export',
  'site import',
  'backup',
  'restore',
  'user create',
  'user list',
  'user delete',
  'user password',
  'user link',
  'user sign-out',
  'member add',
  'member remove',
  'member list',
  'member invite',
  'role list',
  'role set',
  'role delete',
  'provider add',
  'provider list',
  'provider remove',
  'token create',
  'token list',
  'token revoke',
  'token rotate',
  'audit',
  'import',
  'export',
  'sync',
  'explain',
  'types',
];

describe('help', () => {
  test.each(['', '--help', 'help'])('"entryway %s" lists the commands', async (line) => {
    const { code, stdout, stderr } = await entryway(line === '' ? [] : [line], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of ['serve', ...groups]) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test.each(commands)('"entryway %s --help" lists its options', async (line) => {
    const { code, stdout, stderr } = await entryway([...line.split(' '), '--help'], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: entryway ${line} `);
    expect(stdout).toContain('--json');
  });

  test.each(['--help', 'site create --help', '--version', '-V'])(
    '"entryway %s --json" is one document',
    async (line) => {
      const { code, stdout, stderr } = await entryway([...line.split(' '), '--json'], {});
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const text = (await entryway(line.split(' '), {})).stdout.trimEnd();
      expect(JSON.parse(stdout)).toEqual(line.endsWith('help') ? { help: text } : { version: text });
    },
  );

  test('"entryway serve --help" lists every variable with its default and meaning', async () => {
    const { stdout } = await entryway(['serve', '--help'], {});
    for (const { name, default: fallback, meaning } of describeConfig()) {
      const line = stdout.split('\n').find((each) => each.startsWith(`${name} `));
      expect(line).toContain(fallback);
      expect(line).toContain(meaning);
    }
  });
});

describe('refused in one line', () => {
  let place: Workplace;
  beforeAll(async () => {
    place = await workplace();
  });
  afterAll(() => place.remove());

  test.each([
    ['frob', /unknown command 'frob'\. See: entryway --help/],
    ['sites list', /unknown command 'sites' \(Did you mean site\?\)/],
    ['site lits', /unknown command 'lits' \(Did you mean list\?\)/],
    ['site list --jsno', /unknown option '--jsno' \(Did you mean --json\?\)/],
    ['site frob', /unknown command 'frob'\. See: entryway site --help/],
    ['site', /name of a command is missing\. See: entryway site --help/],
    ['--frob', /unknown option '--frob'/],
    ['site list --frob', /unknown option '--frob'\. See: entryway site list --help/],
    ['site create', /missing required argument 'id'\. See: entryway site create --help/],
    ['site create a b', /too many arguments/],
    ['serve now', /too many arguments for 'serve'/],
    ['migrate frob', /too many arguments for 'migrate'/],
  ])('a wrong command is refused in one line: %s', async (line, message) => {
    expect(await place.refusal(line)).toMatch(message);
    const { code, stdout, stderr } = await place.run(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line.startsWith('serve') ? /^\{"level":60,[^\n]+\}\n$/ : /^entryway: [^\n]+\n$/);
  });

  test.each([
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://localhost/entryway'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['RATE_LIMIT', 'none'],
    ['RATE_LIMIT_TOKEN', '0'],
    ['GRAPHQL_MAX_COST', 'lots'],
  ])('a configuration with %s=%s is refused in one line by every command that reads it', async (name, value) => {
    for (const line of ['serve', 'migrate', 'site list']) {
      const message = await place.refusal(line, { [name]: value });
      expect(message).toMatch(new RegExp(`configuration does not fit: ${name}: .*"entryway serve --help"`));
    }
  });

  test('an invalid configuration is refused with exit code 2, and the expected values', async () => {
    for (const [line, environment, message] of [
      ['serve', { PORT: '70000' }, /PORT: must be a whole number from 0 to 65535\./],
      ['serve --port http', {}, /PORT: must be a whole number from 0 to 65535\./],
      ['serve', { DATABASE_URL: 'mysql://localhost/x' }, /must be a URL of PostgreSQL: postgresql:\/\/user:password@/],
    ] as const) {
      const { code, stderr } = await place.run(line, environment);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
  });

  test.each(['serve', 'migrate', 'site list'])(
    '%s is refused in one line if no database server answers',
    async (line) => {
      const { port, close } = await closedPort();
      const secret = 'hunter2';
      const url = `postgresql://entryway:${secret}@127.0.0.1:${port}/entryway`;
      const message = await place.refusal(line, { DATABASE_URL: url });
      await close();
      expect(message).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}/entryway.*Check that the server runs.*DATABASE_URL`));
      expect(message).not.toContain(secret);
    },
  );
});

test('the file .env of the working directory is read, and set variables take precedence', async () => {
  const directory = scratchDirectory();
  const message = async (environment: Record<string, string>): Promise<string> =>
    (await entryway(['site', 'list'], environment, directory)).stderr;
  writeFileSync(join(directory, '.env'), 'DATABASE_URL=mysql://from.file\nRATE_LIMIT=file\n');
  expect(await message({})).toMatch(/DATABASE_URL: .*RATE_LIMIT: /);
  expect(await message({ RATE_LIMIT: 'on' })).not.toContain('RATE_LIMIT');
  rmSync(join(directory, '.env'));
  mkdirSync(join(directory, '.env'));
  expect(await message({})).toContain("the file .env can't be read");
  removeScratch();
});

test('commands that send a token over HTTP do not read .env: a file does not decide where a token goes', async () => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, '.env'), 'ENTRYWAY_URL=http://127.0.0.1:1\nENTRYWAY_TOKEN=ew_master_x\n');
  const { code, stderr } = await entryway(['export', '--channel', 'a'], {}, directory);
  expect([code, stderr]).toEqual([2, expect.stringContaining('ENTRYWAY_TOKEN')]);
  removeScratch();
});

/** A port where every connection is closed at once. */
async function closedPort(): Promise<{ port: number; close: () => Promise<void> }> {
  const server: Server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
