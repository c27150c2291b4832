// Sees every answer that the HTTP servers of a process give, with the request that it is to, before anybody else does.
import { Buffer } from 'node:buffer';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const started = 'http.server.request.start';

/**
 * Calls `onAnswer` with each exchange (see exchange.mjs) as the answer is sent.
 * @returns what ends this
 */
export function watchAnswers(onAnswer) {
  const onStart = ({ request, response }) => follow(request, response, onAnswer);
  subscribe(started, onStart);
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, ...rest) {
    if (event === 'clientError') followRaw(rest[1], onAnswer);
    return emit.call(this, event, ...rest);
  };
  return () => {
    unsubscribe(started, onStart);
    Server.prototype.emit = emit;
  };
}

function follow(request, response, onAnswer) {
  const sent = [];
  const received = [];
  keepChunks(request, 'push', received);
  keepChunks(response, 'write', sent);
  let isTold = false;
  const tell = () => {
    if (isTold) return;
    isTold = true;
    onAnswer({
      method: request.method,
      url: request.url,
      requestHeaders: pairs(request.rawHeaders),
      requestBody: decodedIfWhole(Buffer.concat(received), request.headers['content-encoding']),
      status: response.statusCode,
      headers: headersOf(response),
      body: decoded(Buffer.concat(sent), response.getHeader('content-encoding')),
    });
  };
  const { end } = response;
  response.end = function (...args) {
    if (isChunk(args[0])) sent.push(bytesOf(args[0], args[1]));
    const result = end.apply(this, args);
    tell();
    return result;
  };
  response.once('close', tell);
}

/** What is written to a connection whose request could not be read. */
function followRaw(socket, onAnswer) {
  for (const method of ['write', 'end']) {
    const original = socket[method];
    socket[method] = function (chunk, ...rest) {
      if (isChunk(chunk)) onAnswer(rawExchange(bytesOf(chunk, rest[0]).toString()));
      return original.call(this, chunk, ...rest);
    };
  }
}

function rawExchange(text) {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 400);
  const headers = lines.map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1).trim()]);
  return { method: '', url: '', requestHeaders: [], requestBody: '', status, headers, body: body.join('\r\n\r\n') };
}

function keepChunks(stream, method, chunks) {
  const original = stream[method];
  stream[method] = function (chunk, ...rest) {
    if (isChunk(chunk)) chunks.push(bytesOf(chunk, rest[0]));
    return original.call(this, chunk, ...rest);
  };
}

function isChunk(value) {
  return typeof value === 'string' || ArrayBuffer.isView(value);
}

function bytesOf(chunk, encoding) {
  if (typeof chunk === 'string') return Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8');
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** The content codings (RFC 9110 §8.4.1) of the service's answers, and of the requests that it reads. */
const decoders = new Map([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

/** More than the service reads, in bytes: tests send small bodies that decode to huge ones. */
const mostDecoded = { maxOutputLength: 16 * 1024 * 1024 };

function decoded(bytes, encoding) {
  if (bytes.length === 0) return '';
  return (decoders.get(encoding)?.(bytes, mostDecoded) ?? bytes).toString();
}

/** A request's body as the service reads it; as it came where it is not what its encoding says. */
function decodedIfWhole(bytes, encoding = 'identity') {
  try {
    return decoded(bytes, encoding.toLowerCase());
  } catch {
    return bytes.toString();
  }
}

/** As they were sent, those too that never were in the response's own table. */
function headersOf(response) {
  const [, ...lines] = (response._header ?? '').trim().split('\r\n');
  return lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
}

function pairs(raw) {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]]] : []));
}
