// Requests of a history's callers, over connections that are kept: thousands a run.
import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** A client of one service. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #port: number;
  #sent = 0;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /** How many requests were sent. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Sends a request, again while the service is busy: how busy the machine is must not decide what a history finds. A write that may be
   * stored all the same is not sent again.
   */
  async send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    for (;;) {
      const answer = await this.#sendOnce(method, path, headers, body);
      if (!isBusy(answer, body)) return answer;
    }
  }

  #sendOnce(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    this.#sent += 1;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          agent: this.#agent,
          method,
          path,
          headers: {
            ...headers,
            ...(text !== undefined && {
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(text),
            }),
          },
        },
        (response) => {
          let received = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (received += chunk));
          response.once('error', reject);
          response.once('end', () => {
            const isJson = response.headers['content-type']?.includes('json') === true && received !== '';
            const { statusCode = 0, headers: answered } = response;
            resolve({ status: statusCode, headers: answered, body: isJson ? JSON.parse(received) : null });
          });
        },
      );
      sent.once('error', reject);
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Whether the service was too busy for a request, and nothing of it was done. */
function isBusy({ status, body }: Answer, sent: unknown): boolean {
  const text = JSON.stringify(body);
  if (status === 503) return !text.includes('did not confirm');
  const { query = '' } = (sent ?? {}) as { query?: string };
  return text.includes('"UNAVAILABLE"') && query !== '' && !query.trimStart().startsWith('mutation');
}
