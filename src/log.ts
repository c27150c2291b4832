// Structured logs: JSON lines on standard error, since standard output is for results. Tokens are redacted in every line.
import { destination, pino, type DestinationStream, type Logger } from 'pino';
import { redactTokens } from './redaction.ts';

/** Creates a logger that writes lines of `level` and above, by default to standard error. */
export function createLog(level: string, stream: DestinationStream = destination(2)): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactTokens },
    },
    stream,
  );
}
