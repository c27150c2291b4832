// The change feed: how every process hears, within a second, of what any process changed that decides access
// (docs/contract.md §2). The triggers of the schema tell; this is what is told, and how a listener knows that it is up to date.
import type { DatabaseClient } from './database.ts';

/** The channel that the trigger function entryway_notify tells on. */
export const changeChannel = 'entryway';

/** Takes a change: the table's name, then the old values of the key columns that the table's trigger names. */
export type ChangeListener = (change: string[]) => void;

/** Takes the reason why changes may have been missed. */
export type LossListener = (reason: Error) => void;

export interface ChangeFeed {
  /** Whether every change that was committed a second ago or earlier has been delivered: only then may caches answer. */
  isCurrent(): boolean;
  /**
   * Resolves once every change that was committed before the call has been delivered to the listener, or, where that
   * cannot be told within about 2 seconds, once the listener has been told of the loss.
   */
  settle(): Promise<void>;
  /** Stops listening. `current` is false from then on. */
  close(): Promise<void>;
}

/** Tells every process that follows the changes, this one included. Each message must fit into 8,000 bytes of JSON. */
export async function notifyChanges(db: DatabaseClient, messages: readonly string[][]): Promise<void> {
  const payloads = messages.map((message) => JSON.stringify(message));
  await db.$executeRaw`SELECT pg_notify(${changeChannel}, payload) FROM unnest(${payloads}::text[]) AS payload`;
}

/**
 * Hands a notification on as a change; one that is not a JSON array of strings, which only somebody else can have sent,
 * counts as a loss, since what it stands for cannot be told.
 */
export function deliver(payload: string, onChange: ChangeListener, onLost: LossListener): void {
  const change = readChange(payload);
  if (change === null) onLost(new Error(`a notification on "${changeChannel}" is not a change`));
  else onChange(change);
}

function readChange(payload: string): string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  const isChange = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
  return isChange ? (value as string[]) : null;
}
