// Ends requests whose announced bodies do not come. Each holds room for as much as its headers announce, for up to
// REQUEST_TIMEOUT; so few callers could keep all others from sending bodies, by headers alone.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The time that every body has, in milliseconds: less than others wait for room (src/admission/shares.ts). */
const minReading = 2_000;
const interval = 500;

/**
 * Ends a request whose body is slow while the bodies of others wait for room, with 408, as Node ends one after
 * REQUEST_TIMEOUT.
 */
export function endIfSlow(request: IncomingMessage, response: ServerResponse, lacksRoom: () => boolean): void {
  // Most bodies have come with their headers.
  if (request.complete) return;
  const begun = performance.now();
  const timer = setInterval(() => {
    if (request.complete) clearInterval(timer);
    else if (performance.now() - begun >= minReading && lacksRoom()) {
      clearInterval(timer);
      // Node's server passes it to `guardWire` (src/http/wire.ts), which answers and ends the connection.
      request.socket.emit('error', Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
    }
  }, interval).unref();
  response.on('close', () => clearInterval(timer));
}
