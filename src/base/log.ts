// Structured logs: JSON lines on standard error, since standard output is for results. Tokens are redacted in every line.
import { destination, pino, type DestinationStream, type Logger } from 'pino';
import { redactTokens } from './redaction.ts';

/**
 * Creates a logger that writes lines of `level` and above, by default to standard error.
 * @param worker the number of this process among those that share a port, which each line has; absent without others
 */
export function createLog(level: string, stream: DestinationStream = destination(2), worker?: number): Logger {
  return pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactTokens },
    },
    stream,
  );
}
