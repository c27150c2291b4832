// The parts of the service that the paths of signing in depend on.
import type { Credentials } from '../../auth/tokens.ts';
import type { Config } from '../../config/config.ts';
import type { LadderParts } from '../../http/ladder.ts';
import type { Links } from './links/links.ts';
import type { SignIns } from './signIn.ts';

/** The outcomes of sign-ins that are counted. */
export type SignInOutcome = 'ok' | 'refused' | 'limited' | 'busy';

/** Counts sign-ins. */
export interface SignInObserver {
  readonly countSignIn: (outcome: SignInOutcome) => void;
}

/** The parts of the process that these paths use. */
export interface SignInDoor extends Pick<LadderParts, 'limits' | 'rateLimits' | 'state'>, Credentials {
  readonly config: Pick<Config, 'signIn'>;
  readonly publicUrl: string | undefined;
  readonly signIns: SignIns;
  readonly links: Links;
  /** null without metrics. */
  readonly metrics: SignInObserver | null;
}
