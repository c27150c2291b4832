// The log on a terminal: lines for people, where pino-pretty is installed. It is an optional dependency.
import { destination, type DestinationStream } from 'pino';
import { printable } from '../../../clients/cli/src/terminal/output.ts';

/** The stream of the log of `serve`: standard error, as JSON; on a terminal, as lines for people. */
export async function openLogStream(): Promise<DestinationStream> {
  const stream = destination(2);
  const pretty = process.stderr.isTTY ? await import('pino-pretty').catch(() => null) : null;
  if (pretty === null) return stream;
  const format = pretty.default.prettyFactory({ colorize: false, singleLine: true, translateTime: 'SYS:HH:MM:ss' });
  // Content of a request must not control the terminal.
  return { write: (line) => stream.write(printable(format(line))) };
}
