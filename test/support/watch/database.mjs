// Sees every statement that a process sends to a database, at the one place of each driver that all of them pass: for pg the
// client's query (pools and Prisma's adapter call it), for PGlite the messages of the protocol, transactions included, or, where a
// thread runs it, the requests to that thread.
import { Worker } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/**
 * @param onStatement takes a statement's text and the driver's name
 * @returns ends the watch over requests to threads: Node's own modules, unlike the drivers, are the same for all test files of
 * a process
 */
export function watchStatements(onStatement) {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (config, ...rest) {
    // A text, a configuration with a text, or a query object with one.
    const text = typeof config === 'string' ? config : config?.text;
    if (typeof text === 'string') onStatement(text, 'pg');
    return query.call(this, config, ...rest);
  };
  const { execProtocolRawSync } = PGlite.prototype;
  PGlite.prototype.execProtocolRawSync = function (message) {
    for (const text of textsOf(message)) onStatement(text, 'PGlite');
    return execProtocolRawSync.call(this, message);
  };
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    const text = message?.request?.sql;
    if (typeof text === 'string') onStatement(text, 'PGlite');
    return postMessage.call(this, message, ...rest);
  };
  return () => {
    Worker.prototype.postMessage = postMessage;
  };
}

/** The texts in messages of PostgreSQL's protocol: of Query (Q: text) and Parse (P: name, text, types). */
function* textsOf(bytes) {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 5 <= message.length; at += 1 + message.readInt32BE(at + 1)) {
    const type = String.fromCharCode(message[at]);
    if (type !== 'Q' && type !== 'P') continue;
    const start = type === 'Q' ? at + 5 : message.indexOf(0, at + 5) + 1;
    yield message.toString('utf8', start, message.indexOf(0, start));
  }
}
