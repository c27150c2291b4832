// The parts of the service that the paths of signing in depend on, and what they note of a sign-in.
import type { Logger } from 'pino';
import type { Credentials } from '../../auth/tokens.ts';
import { ServiceError, type ErrorCode } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Statements } from '../../database/statements.ts';
import type { LadderParts } from '../../http/ladder.ts';
import type { HttpRequest } from '../../http/messages.ts';
import type { SignInToken } from './context.ts';
import type { Links } from './links/links.ts';
import type { ProviderClient } from './providers/client.ts';
import type { ProviderSignIns } from './providers/signInBy.ts';
import type { SignIns } from './signIn.ts';

/** The outcomes of sign-ins that are counted. */
export type SignInOutcome = 'ok' | 'refused' | 'limited' | 'busy';

/** Counts sign-ins. */
export interface SignInObserver {
  readonly countSignIn: (outcome: SignInOutcome) => void;
}

/** The parts of the process that these paths use. */
export interface SignInDoor extends Pick<LadderParts, 'limits' | 'rateLimits' | 'state'>, Credentials {
  readonly config: Pick<Config, 'signIn' | 'production'>;
  readonly publicUrl: string | undefined;
  readonly signIns: SignIns;
  readonly links: Links;
  readonly providers: {
    readonly client: ProviderClient;
    readonly signIns: ProviderSignIns;
    readonly db: Statements;
  };
  readonly log: Logger;
  /** null without metrics. */
  readonly metrics: SignInObserver | null;
}

/** Notes for the log whose request it is. */
export function noteSignIn({ account }: HttpRequest, { signInId: id, userId }: SignInToken): void {
  account.noteCaller({ token: { id, kind: 'user', userId }, customer: null });
}

const outcomes: Partial<Record<ErrorCode, SignInOutcome>> = {
  unauthenticated: 'refused',
  conflict: 'refused',
  rate_limited: 'limited',
  unavailable: 'busy',
};

/** Counts the outcome of a sign-in. @returns its result @throws as the sign-in */
export async function countOutcome<Result>({ metrics }: SignInDoor, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    metrics?.countSignIn('ok');
    return result;
  } catch (error) {
    const outcome = error instanceof ServiceError ? outcomes[error.code] : undefined;
    if (outcome !== undefined) metrics?.countSignIn(outcome);
    throw error;
  }
}
