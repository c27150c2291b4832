// The examples of docs/changes.md that verify signatures, each run by its interpreter, where there is one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

const document = readFileSync(join(import.meta.dirname, '../../../docs/changes.md'), 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'entryway-examples-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const body = '{"type":"entry.created","data":{"title":"Ünïcode"}}';

/** How each language is run: its program reads [secret, headers, body] from a file, and prints whether they fit. */
const languages: Record<string, { command: string; file: string; around: (code: string, input: string) => string }> = {
  js: {
    command: process.execPath,
    file: 'verify.mjs',
    around: (code, input) =>
      `import { readFileSync } from 'node:fs';\n${code}\nconsole.log(verify(...JSON.parse(readFileSync(${JSON.stringify(input)}, 'utf8'))));`,
  },
  python: {
    command: 'python3',
    file: 'verify.py',
    around: (code, input) =>
      `import json\n${code}\nprint(str(verify(*json.load(open(${JSON.stringify(input)})))).lower())`,
  },
  php: {
    command: 'php',
    file: 'verify.php',
    around: (code, input) =>
      `<?php\n${code}\n[$s, $h, $b] = json_decode(file_get_contents(${JSON.stringify(input)}), true);\necho verify($s, $h, $b) ? 'true' : 'false';`,
  },
};

const present = Object.entries(languages).filter(([, { command }]) => spawnSync(command, ['--version']).status === 0);

test('Node is installed, and docs/changes.md has an example for each language', () => {
  expect(present.map(([language]) => language)).toContain('js');
  for (const language of Object.keys(languages)) expect(exampleIn(language)).toContain('verify');
});

/** The example of a language that verifies; other sections have examples of other things. */
function exampleIn(language: string): string {
  const [, section = ''] = /^## Webhooks\n(.*?)(?=^## |(?![^]))/ms.exec(document) ?? [];
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  return blocks.map(([, code = '']) => code).find((code) => /\bverify\(/.test(code)) ?? '';
}

function headersAt(time: Date, ...secrets: string[]): Record<string, string> {
  const signatures = secrets.map((each) => new Webhook(each).sign('msg_1', time, body));
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

describe.each(present)('%s', (language, { command, file, around }) => {
  const now = new Date();
  test.each([
    ['a message', headersAt(now, secret), body, 'true'],
    ['one with two signatures', headersAt(now, other, secret), body, 'true'],
    ['one that was signed with another secret', headersAt(now, other), body, 'false'],
    ['one that was changed', headersAt(now, secret), `${body} `, 'false'],
    ['one of yesterday', headersAt(new Date(now.getTime() - 86_400_000), secret), body, 'false'],
  ])('the example verifies the signature of %s', (_name, headers, text, verdict) => {
    const input = join(directory, 'input.json');
    writeFileSync(input, JSON.stringify([secret, headers, text]));
    writeFileSync(join(directory, file), around(exampleIn(language), input));
    const { stdout, stderr } = spawnSync(command, [join(directory, file)], { encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual([verdict, '']);
  });
});
