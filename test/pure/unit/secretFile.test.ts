// Secrets in files: DATABASE_URL_FILE for the service, ENTRYWAY_TOKEN_FILE for the commands that send a token.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseConnection } from '../../../clients/cli/src/service/connection.ts';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let directory: string;
beforeAll(() => {
  directory = scratchDirectory();
});
afterAll(removeScratch);

const url = 'postgresql://entryway:hidden@db.internal/entryway';

/** A file with some content. @returns its path */
function fileWith(content: string): string {
  const path = join(directory, 'secret');
  writeFileSync(path, content);
  return path;
}

describe('DATABASE_URL_FILE', () => {
  test.each(['', '\n', '\r\n'])(
    'DATABASE_URL_FILE names a file with the value of DATABASE_URL, with %j at its end',
    (end) => {
      const { databaseUrl, limits } = readConfig({ DATABASE_URL_FILE: fileWith(url + end), DATABASE_URL: '' });
      expect(databaseUrl).toBe(url);
      // What has another default without DATABASE_URL has that of a server.
      expect(limits).toEqual(readConfig({ DATABASE_URL: url }).limits);
    },
  );

  test('an empty DATABASE_URL_FILE counts as absent', () => {
    expect(readConfig({ DATABASE_URL_FILE: '' }).databaseUrl).toBeUndefined();
  });

  /** The message of the refusal, which shows nothing of the file. */
  function refusal(environment: Record<string, string>): string {
    try {
      readConfig(environment);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      const { message } = error as Error;
      expect(message).not.toMatch(/hidden|\n/);
      return message;
    }
    throw new Error('it was not refused');
  }

  test('DATABASE_URL_FILE beside DATABASE_URL is refused', () => {
    expect(refusal({ DATABASE_URL: url, DATABASE_URL_FILE: fileWith(url) })).toBe(
      'DATABASE_URL_FILE: DATABASE_URL is set, too; set one of them',
    );
  });

  test.each([
    ['an empty file, which must not lead to the embedded database', '', /is empty$/],
    ['a blank file', ' \n', /is empty$/],
    ['two lines', `${url}\nhidden\n`, /must have one line/],
    ['what is no URL of PostgreSQL', 'mysql://hidden@host/name', /^DATABASE_URL_FILE: must be a URL of PostgreSQL/],
    ['too much', 'hidden'.repeat(20_000), /can't be read \(it has more than 65536 bytes\)$/],
  ])('DATABASE_URL_FILE refuses %s', (_what, content, message) => {
    expect(refusal({ DATABASE_URL_FILE: fileWith(content) })).toMatch(message);
  });

  test('DATABASE_URL_FILE refuses a missing file and a directory by their names', () => {
    const missing = join(directory, 'missing');
    expect(refusal({ DATABASE_URL_FILE: missing })).toBe(
      `DATABASE_URL_FILE: the file ${missing} can't be read (ENOENT)`,
    );
    mkdirSync(join(directory, 'folder'));
    expect(refusal({ DATABASE_URL_FILE: join(directory, 'folder') })).toMatch(/it is not a regular file\)$/);
  });
});

describe('ENTRYWAY_TOKEN_FILE', () => {
  const names = ['ENTRYWAY_TOKEN', 'ENTRYWAY_TOKEN_FILE'];
  /** The token of a command, with these variables set. */
  function tokenWith(environment: Record<string, string>, token?: string): string {
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
    try {
      return parseConnection({ patience: '1', ...(token !== undefined && { token }) }).token;
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
    }
  }

  test('ENTRYWAY_TOKEN_FILE names a file with the token, and an option takes precedence', () => {
    const environment = { ENTRYWAY_TOKEN_FILE: fileWith('from-file\n') };
    expect(tokenWith(environment)).toBe('from-file');
    expect(tokenWith(environment, 'from-option')).toBe('from-option');
  });

  test('ENTRYWAY_TOKEN_FILE that cannot be read, or stands beside ENTRYWAY_TOKEN, is refused', () => {
    expect(() => tokenWith({ ENTRYWAY_TOKEN_FILE: join(directory, 'gone') })).toThrow(/^ENTRYWAY_TOKEN_FILE: .*ENOENT/);
    expect(() => tokenWith({ ENTRYWAY_TOKEN_FILE: fileWith('a'), ENTRYWAY_TOKEN: 'b' }, 'b')).toThrow(/both set/);
    expect(() => tokenWith({})).toThrow(/ENTRYWAY_TOKEN_FILE/);
  });
});
