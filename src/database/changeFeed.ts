// The change feed: every process is notified within a second of each committed change of data on which access depends
// (docs/contract.md §2). Triggers send the notifications by NOTIFY; a feed detects whether it has received all of them.

/** The NOTIFY channel of the trigger function entryway_notify. */
export const changeChannel = 'entryway';

/** Receives a change: the table's name, then the old values of the key columns that the table's trigger lists. */
export type ChangeListener = (change: string[]) => void;

/** Called when changes may have been missed, with the reason. */
export type LossListener = (reason: Error) => void;

export interface ChangeFeed {
  /** Whether every change committed a second ago or earlier has been delivered: only then may caches answer. */
  isCurrent(): boolean;
  /** The age of the last proof that every change had been delivered, in milliseconds; Infinity before the first. */
  proofAge(): number;
  /**
   * Whether this process is the leader: the one process of a database that runs the common background work. When it
   * ends, another one takes over within seconds. For a moment there may be two.
   */
  isLeader(): boolean;
  /**
   * Resolves once every change committed before the call has been delivered; if that cannot be established within about
   * 2 seconds, once the listener has been notified that changes may have been missed.
   */
  settle(): Promise<void>;
  /** Stops listening. `isCurrent` is false from then on. */
  close(): Promise<void>;
}

/**
 * Passes a notification to the listener. A payload that is not a JSON array of strings was not sent by this service. Because
 * its meaning is unknown, it counts as a missed change.
 */
export function deliverChange(payload: string, onChange: ChangeListener, onLost: LossListener): void {
  const change = parseNotification(payload);
  if (change === null) onLost(new Error(`a notification on "${changeChannel}" is not a change`));
  else onChange(change);
}

function parseNotification(payload: string): string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  const isChange = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
  return isChange ? (value as string[]) : null;
}
