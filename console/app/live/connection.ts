// Whether there is a connection, as TanStack Query has it: what is read waits for it. The browser's word that there is none holds
// until the service answers: on one machine it does so without a network.
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Notes that the service answered. */
export function noteAnswer(): void {
  onlineManager.setOnline(true);
}

export function isConnected(): boolean {
  return onlineManager.isOnline();
}

export function useConnected(): boolean {
  return useSyncExternalStore((listener) => onlineManager.subscribe(listener), isConnected);
}

/** A signal that aborts with another one, and when the browser says that the connection is lost. */
export function untilLost(signal: AbortSignal): AbortSignal {
  const lost = new AbortController();
  addEventListener('offline', () => lost.abort(), { once: true, signal: AbortSignal.any([signal, lost.signal]) });
  return AbortSignal.any([signal, lost.signal]);
}
