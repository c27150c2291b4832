// The real thing: `entryway serve` as a process of its own, from the compiled code.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchedEnvironment, watchedLog } from './watch/index.mjs';

/** The compiled command line. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Variables with which a process takes its standard output for a terminal. */
export const onTerminal = { NODE_OPTIONS: `--import ${new URL('terminal.mjs', import.meta.url).href}` };

/** V8 does not compile a command's WebAssembly a second time to make it faster: that is a third of what a command takes. */
const briefly = ['--liftoff-only'];

/** What `serve --json` prints. */
export interface Started {
  readonly url: string;
  readonly database: object;
  readonly site?: string;
  readonly tokens?: { readonly master: string; readonly public: string; readonly user: string };
}

export interface ServiceProcess extends Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything that it wrote to standard error. */
  readonly log: () => string;
  /** Asks it to stop; resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command, on any free port and where no file .env is read unless told otherwise, and leaves the rest to the caller. */
export function start(
  args: string[],
  environment: Record<string, string>,
  cwd = dirname(main),
): ChildProcessWithoutNullStreams {
  const { DATABASE_URL: _url, DATA_DIR: _directory, ...inherited } = process.env;
  const env = { ...inherited, PORT: '0', ...watchedEnvironment(), ...environment };
  const flags = args[0] === 'serve' ? [] : briefly;
  const child = spawn(process.execPath, [...flags, main, ...args], { env, cwd });
  search(child, 'stderr');
  // Standard output is for results: these hand out tokens.
  const isSecret = ['token create', 'token rotate', 'user link', 'member invite'].includes(args.slice(0, 2).join(' '));
  if (args[0] !== 'serve' && !isSecret) search(child, 'stdout');
  return child;
}

/** Has the watch look for tokens in what a process prints. */
export function search(child: ChildProcessWithoutNullStreams, stream: 'stdout' | 'stderr'): void {
  const log = watchedLog();
  child[stream].on('data', (chunk: Buffer) => log.write(chunk.toString()));
  child[stream].once('close', log.end);
}

/** Runs a command to its end. */
export async function entryway(
  args: string[],
  environment: Record<string, string>,
  cwd?: string,
  input = '',
): Promise<Run> {
  const child = start(args, environment, cwd);
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Starts serving on a free port, and waits until it is ready. Where a demo site is made, its tokens are asked for. */
export async function serve(environment: Record<string, string>): Promise<ServiceProcess> {
  const demo = environment['NODE_ENV'] === 'production' ? {} : { DEMO: 'on' };
  const child = start(['serve', '--json'], { ...demo, ...environment });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const started = await new Promise<Started>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      try {
        const document = JSON.parse(output) as Started | { error: { message: string } };
        if ('error' in document) reject(new Error(document.error.message));
        else resolve(document);
      } catch {
        // Not all of it has come yet.
      }
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${log}`)));
  });
  return {
    ...started,
    child,
    log: () => log,
    stop: async () => {
      if (child.exitCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
}
