// How V8 manages the heap of a process that serves: so that less garbage waits for its collection (docs/performance.md).
import { setFlagsFromString } from 'node:v8';

/** V8's names of what is set. */
export const garbageFlags = [
  // V8 would put objects that lived long when the process was young, such as the arrays of rows, among the old ones at once.
  // There they live until the next collection of the whole heap, and with them all that they refer to.
  '--no-allocation-site-pretenuring',
  // The old objects may grow by so many percent of what was in use before they are collected. By default they grow fourfold.
  '--heap-growing-percent=80',
];

/** Sets how V8 manages the heap: before the service is loaded, because code that is compiled already follows the old flags. */
export function boundGarbage(): void {
  for (const flag of garbageFlags) setFlagsFromString(flag);
}
