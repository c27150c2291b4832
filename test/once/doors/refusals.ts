// Reads tables of refusals: a ladder for each door, whose lines are in the order of its checks.
import type { Usual } from '../../support/refusals/asked.ts';
import { faults, type Fault } from './refusals.faults.ts';

/** A door, with a request that it does not refuse. */
export interface LadderText {
  readonly door: string;
  /** The rows of `httpTable` (doors.ts) that it stands for. */
  readonly routes: readonly string[];
  readonly usual: Usual;
  /** The status of the answer to it. */
  readonly answers: number;
  /** Faults that there are at this door alone, or that look otherwise here. */
  readonly own?: readonly Fault[];
  /**
   * A line for each refusal: the fault, the status, the code, what the refusal counts against the rates (`-`: it cannot be seen, because
   * the rate is spent or the service refuses whoever asks), and the headers that tell a client what to do.
   */
  readonly ladder: string;
}

export interface Rung {
  readonly fault: Fault;
  readonly status: number;
  readonly code: string;
  readonly counts: string;
  readonly tells: string;
}

export interface Ladder extends LadderText {
  readonly rungs: readonly Rung[];
}

export function readLadder(text: LadderText): Ladder {
  const lines = text.ladder.split('\n').map((line) => line.trim());
  const rungs = lines.filter((line) => line !== '').map((line) => readRung(line, text));
  const names = rungs.map(({ fault }) => fault.name);
  if (new Set(names).size < names.length) throw new Error(`${text.door} has a fault twice: ${names.join(', ')}`);
  return { ...text, rungs };
}

function readRung(line: string, { door, own = [] }: LadderText): Rung {
  const [name = '', status = '', code = '', counts = '', tells = ''] = line.split('|').map((cell) => cell.trim());
  const fault = [...own, ...faults].find((each) => each.name === name);
  if (fault === undefined) throw new Error(`${door}: there is no fault "${name}".`);
  return { fault, status: Number(status), code, counts, tells };
}
