// Reports the steps of a start that create something, which take seconds: in lines of the log, and on a terminal, where
// the log is quiet, in lines for people.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { printable } from '../../../clients/cli/src/terminal/output.ts';

export interface StartSteps {
  /** Reports that the embedded database is going to be created, unless it exists. */
  readonly openDatabase: (config: Pick<Config, 'databaseUrl' | 'dataDir'>) => void;
  readonly migrate: (pending: number) => void;
  readonly makeDemo: () => void;
}

/** @param print takes the lines for people; null if nobody reads them */
export function startSteps(log: Logger, print: ((line: string) => void) | null): StartSteps {
  const report = (message: string, details: object, line: string): void => {
    log.info(details, message);
    print?.(`${printable(line)} …\n`);
  };
  return {
    openDatabase: ({ databaseUrl, dataDir }) => {
      if (databaseUrl !== undefined || existsSync(join(dataDir, 'pgdata'))) return;
      report(
        'making the embedded database',
        { directory: dataDir },
        `Making the embedded database in ${displayPath(dataDir)}`,
      );
    },
    migrate: (pending) => report('applying migrations', { pending }, `Applying ${count(pending, 'migration')}`),
    makeDemo: () => report('making the demo site', {}, 'Making a site to try things on'),
  };
}

function displayPath(directory: string): string {
  const path = relative('.', directory);
  return path === '' || path.startsWith('..') ? directory : `./${path}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
