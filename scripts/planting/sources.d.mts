/** The files of a project that faults are planted into, each read and parsed once. */
export class Sources {
  constructor(root: string);
}
