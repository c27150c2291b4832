// Scripts list their options on request, and beside the refusal of an unknown one.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const script = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const scripts = ['scripts/torture.mjs', 'scripts/mutate.mjs', 'scripts/prove.mjs', 'bench/steps.mjs'];

test.each(scripts)('the script %s lists its options, and refuses unknown ones', async (name) => {
  const { stdout: usage, stderr } = await run(process.execPath, [script(name), '--help']);
  expect(stderr).toBe('');
  expect(usage).toMatch(/^(?:npm run|node bench\/)[^\n]* (?:-- )?\[/);
  const refused = run(process.execPath, [script(name), '--frob']);
  await expect(refused).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(usage) });
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringMatching(/^Unknown option '--frob'/) });
});
