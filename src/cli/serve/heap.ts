// Flags of V8 for a process that serves, with which less garbage waits for its collection (docs/performance.md).
import { setFlagsFromString } from 'node:v8';

/** The flags that are set. */
export const garbageFlags = [
  // V8 would allocate objects that lived long in a first burst, such as the arrays of rows, in the old generation at once. They stay
  // there until the next full collection, with everything that they refer to.
  '--no-allocation-site-pretenuring',
  // The old generation may grow by this many percent before it is collected. By default it may grow fourfold.
  '--heap-growing-percent=80',
];

/** Sets the flags. To be called before the service is loaded, because code that is compiled already follows the old flags. */
export function boundGarbage(): void {
  for (const flag of garbageFlags) setFlagsFromString(flag);
}
