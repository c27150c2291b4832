// Sends a batch's operations, and reads what became of each.
import { Refusal } from '../run.ts';
import { problemOf, reasonIn, type Answer, type Service } from './service.ts';

/** What became of an operation. */
export type Outcome =
  | { readonly status: number; readonly updatedAt: string | undefined }
  | { readonly reason: string; readonly errors?: readonly unknown[] };

interface Result {
  readonly status: number;
  readonly entry?: { readonly updated_at?: string };
  readonly error?: unknown;
}

/** Statuses of a request that one of its operations may be to blame for. */
const blamable: readonly number[] = [400, 413];

/**
 * Sends operations under a key: however often they are sent, they are done once.
 * @param operations each as JSON
 * @throws {Refusal} where the service refuses them all, or is away for too long
 */
export async function send(
  service: Service,
  channel: string,
  key: string,
  operations: readonly string[],
): Promise<Outcome[]> {
  const answer = await service.ask(`/channels/${channel}/entries/bulk`, {
    method: 'POST',
    headers: { 'Idempotency-Key': key },
    body: `{"atomic":false,"operations":[${operations.join(',')}]}`,
    // The first request under this key is still being answered.
    later: [409],
  });
  if (answer.status === 200) return outcomesIn(answer, operations.length);
  if (!blamable.includes(answer.status)) throw new Refusal(`The service takes no entries: ${reasonIn(answer)}`);
  if (operations.length === 1) return [outcomeOf({ status: answer.status, error: answer.body })];
  const half = Math.ceil(operations.length / 2);
  return [
    ...(await send(service, channel, `${key}.1`, operations.slice(0, half))),
    ...(await send(service, channel, `${key}.2`, operations.slice(half))),
  ];
}

function outcomesIn({ body }: Answer, expected: number): Outcome[] {
  const { results } = body as { readonly results?: readonly Result[] };
  if (results?.length !== expected) throw new Refusal('The service does not say what became of each row.');
  return results.map(outcomeOf);
}

function outcomeOf({ status, entry, error }: Result): Outcome {
  if (status < 300) return { status, updatedAt: entry?.updated_at };
  const { detail, errors } = problemOf(error);
  return { reason: detail ?? `the service answers ${status}`, ...(errors && { errors }) };
}
