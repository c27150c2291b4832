// The load of wrk, a program that is compiled: it takes a tenth of the processor time of a generator in Node, which on a machine of two
// cores takes one of them away from both sides.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'wrk.lua');
/** How many requests it draws from. */
const drawn = 20_000;

/** Whether wrk is installed. */
export async function hasWrk() {
  // It has no option that only prints its version and succeeds.
  return run('wrk', ['--version']).then(
    () => true,
    ({ code, stdout = '' }) => code !== 'ENOENT' && stdout.startsWith('wrk'),
  );
}

/**
 * Sends requests over some connections for some seconds, of which wrk knows only whole ones.
 * @param make makes a request: { method, path, headers, body }
 * @returns { requests, seconds, p50, p99, bytes }: milliseconds, and the bytes of an answer with its head; or { failure }
 */
export async function loadByWrk({ url, make, connections, seconds }) {
  const directory = mkdtempSync(join(tmpdir(), 'entryway-wrk-'));
  try {
    const file = join(directory, 'requests.lua');
    const first = make();
    const alwaysSame = JSON.stringify(first) === JSON.stringify(make());
    writeFileSync(file, `return {${Array.from({ length: alwaysSame ? 1 : drawn }, () => toLua(make())).join(',\n')}}`);
    const sample = await fetch(url + first.path, first);
    const text = await sample.text();
    // GraphQL tells most errors with a 200, which wrk would not see.
    if (!sample.ok) return { failure: `status ${sample.status}` };
    if (text.startsWith('{"errors"')) return { failure: text };
    const options = [
      '--threads',
      '1',
      '--connections',
      connections,
      '--duration',
      `${Math.ceil(seconds)}s`,
      '--timeout',
      '20s',
    ];
    const args = [...options, '--script', script, url, '--', file, process.pid].map(String);
    const { stdout } = await run('wrk', args);
    const seen = JSON.parse(stdout.slice(stdout.indexOf('{"requests"')));
    if (seen.failed > 0) return { failure: `${seen.failed} without an answer` };
    if (seen.refused > 0) return { failure: `refused with a status above 399: ${seen.refused} of ${seen.requests}` };
    return seen;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A request as a table of Lua. */
function toLua({ method = 'GET', path, headers = {}, body }) {
  const members = Object.entries(headers).map(([name, value]) => `[${JSON.stringify(name)}]=${JSON.stringify(value)}`);
  const isNew = body !== undefined && /Article \d+/.test(body);
  return `{method="${method}",path=${JSON.stringify(path)},headers={${members.join(',')}},isNew=${isNew},body=${body === undefined ? 'nil' : `[==[${body}]==]`}}`;
}
