// Runs test/support/embedded-child.ts, and listens to what it prints.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { watchedEnvironment } from './watch/index.mjs';

export interface Child {
  readonly pid: number;
  /** What it printed so far, line by line. */
  readonly lines: unknown[];
  /** Resolves with the first line: that it is open, or why not. */
  readonly started: Promise<unknown>;
  /** Resolves once it has printed that many lines after the first. */
  readonly printed: (count: number) => Promise<void>;
  /** Resolves with the exit code once it is gone and everything that it printed is in `lines`. */
  readonly ended: Promise<number | null>;
  /** Kills it without warning. */
  readonly kill: () => Promise<void>;
}

const running = new Set<Child>();

/** For afterEach: a test that fails must not leave processes behind. */
export async function killChildren(): Promise<void> {
  for (const child of running) await child.kill();
}

const script = join(import.meta.dirname, 'embedded-child.ts');

export function startChild(directory: string, task: 'hold' | 'write'): Child {
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory, task], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...watchedEnvironment() },
  });
  const lines: unknown[] = [];
  const reader = createInterface({ input: child.stdout });
  const started = new Promise<unknown>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(JSON.parse(line));
      resolve(lines[0]);
    });
    reader.on('close', () => reject(new Error('the child ended without a word')));
  });
  const closed = once(reader, 'close');
  const ended = once(child, 'close').then(async ([code]) => {
    await closed;
    return code as number | null;
  });
  // Whoever waits for one of them may not wait for the other.
  started.catch(() => undefined);
  const self: Child = {
    pid: child.pid ?? 0,
    lines,
    started,
    printed: async (count) => {
      while (lines.length <= count && child.exitCode === null) await once(reader, 'line');
    },
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
  running.add(self);
  void ended.then(() => running.delete(self));
  return self;
}
