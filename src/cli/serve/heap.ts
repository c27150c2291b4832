// Flags of V8 for a process that serves, which reduce its uncollected garbage (docs/performance.md).
import { setFlagsFromString } from 'node:v8';

/** The flags that are set. */
export const garbageFlags = [
  // V8 would otherwise allocate objects that lived long in a first burst, such as arrays of rows, in the old generation
  // at once, where they and everything that they refer to stay until the next full collection.
  '--no-allocation-site-pretenuring',
  // The old generation may grow by this many percent before it is collected. By default it may grow fourfold.
  '--heap-growing-percent=80',
];

/** Sets the flags. Call it before the service is loaded, because compiled code keeps the old flags. */
export function boundGarbage(): void {
  for (const flag of garbageFlags) setFlagsFromString(flag);
}
