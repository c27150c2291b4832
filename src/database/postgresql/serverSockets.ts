// The sockets of the connections to a server. A server whose machine or network fails does not close them: what waits on them for
// an answer would wait until TCP gives up, which takes a quarter of an hour.
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
   * Destroys a socket that has not become a connection in time, and the others with it if they have received nothing meanwhile.
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

  /** How many bytes all sockets have received so far. */
  readonly countReceived = (): number =>
    [...this.#open].reduce((sum, { bytesRead }) => sum + bytesRead, this.#receivedByClosed);

  /** Destroys all sockets if they have received nothing beyond a count: what waits on them fails, instead of waiting on. */
  readonly closeIfSilent = async (received: number): Promise<void> => {
    // After the event loop was held up, a timer is called before what has arrived meanwhile is read.
    await afterReading();
    if (this.countReceived() > received) return;
    for (const socket of this.#open) socket.destroy(createSilenceError());
  };
}

function createSilenceError(): Error {
  return createConnectionError('ETIMEDOUT', 'the database server does not answer');
}

/** An error as the driver has them: with the code by which it is known that another attempt may succeed. */
export function createConnectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
