// Structured logs: JSON lines on standard error, standard output being for results. No token ever gets into one.
import { destination, pino, type DestinationStream, type Logger } from 'pino';
import { withoutTokens } from './redaction.ts';

/** A logger that writes lines of `level` and above. */
export function createLog(level: string, stream: DestinationStream = destination(2)): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: withoutTokens },
    },
    stream,
  );
}
