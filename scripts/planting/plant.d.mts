import type { Mutant } from '../mutants/index.d.mts';
import type { Sources } from './sources.d.mts';

/** What tells where a fault is, and what is put there. */
type Place<M> = M extends Mutant ? Omit<M, 'name' | 'tests' | 'ci'> : never;

/**
 * Plants a fault.
 * @returns the path of its file, and the text of that with the fault in it
 * @throws Error that says how many places were found, where it is not one, or why what is put there is no code
 */
export function plant(sources: Sources, fault: Place<Mutant>): { file: string; text: string };
