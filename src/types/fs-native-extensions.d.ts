// What we use of fs-native-extensions, which ships no types.
declare module 'fs-native-extensions' {
  /** Locks an open file exclusively until it is closed; false where another open file holds the lock. Never waits. */
  export function tryLock(fileDescriptor: number): boolean;
}
