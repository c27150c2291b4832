// The sockets of the connections to a server. If the server's machine or network fails, it does not close them: without
// a limit, statements would wait until TCP gives up, which takes a quarter of an hour.
import { type Socket } from 'node:net';
import { setImmediate as afterReading } from 'node:timers/promises';

export class ServerSockets {
  readonly #open = new Set<Socket>();
  #receivedByClosed = 0;

  /** Adds a socket, which is connected later. */
  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#receivedByClosed += socket.bytesRead;
    });
  }

  /**
   * Destroys a socket that does not become a connection in time, together with the others if they have received nothing
   * meanwhile.
   * @returns a function that ends the limit
   */
  limitTime(socket: Socket, milliseconds: number): () => void {
    const received = this.countReceived();
    const timer = setTimeout(() => {
      socket.destroy(createSilenceError());
      void this.closeIfSilent(received);
    }, milliseconds);
    return () => clearTimeout(timer);
  }

  /** Counts the bytes that all sockets have received so far. */
  readonly countReceived = (): number =>
    [...this.#open].reduce((sum, { bytesRead }) => sum + bytesRead, this.#receivedByClosed);

  /**
   * Destroys all sockets if they have received nothing beyond a count, so that their statements fail instead of
   * waiting.
   */
  readonly closeIfSilent = async (received: number): Promise<void> => {
    // After the event loop was blocked, a timer fires before the data that arrived meanwhile is read.
    await afterReading();
    if (this.countReceived() > received) return;
    for (const socket of this.#open) socket.destroy(createSilenceError());
  };
}

function createSilenceError(): Error {
  return createConnectionError('ETIMEDOUT', 'the database server does not answer');
}

/** Makes an error like the driver's, with a code that permits another attempt. */
export function createConnectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
