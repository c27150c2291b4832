// Signing in again over a screen that stays as it is, forms included: the sign-in has ended, and what was asked goes on afterwards.
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { onSignedIn } from '../../shared/handOver.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { noteNew } from './enter.ts';
import type { SignInKeys } from './keys.ts';
import { PasswordForm } from './PasswordForm.tsx';
import { Providers } from './Providers.tsx';
import { findWaysIn, type ProviderWay } from './requests.ts';

interface Props {
  readonly keys: SignInKeys;
  /** Gives up, and what was typed with it. */
  readonly onLeave: () => void;
}

export function SignInAgain({ keys, onLeave }: Props): ReactNode {
  const ended = useSyncExternalStore(keys.subscribe, keys.ended);
  // Who signs in again in another tab goes on here, too.
  useEffect(() => onSignedIn(() => keys.goOn(null)), [keys]);
  const [providers, setProviders] = useState<readonly ProviderWay[]>([]);
  const isOver = ended !== null;
  useEffect(() => {
    if (isOver) void findWaysIn().then((ways) => setProviders(ways.providers));
  }, [isOver]);
  if (ended === null) return null;
  return (
    <Dialog title="Sign in again" onClose={null}>
      <p>
        {ended.other === null
          ? 'Your sign-in has ended.'
          : `In this browser ${ended.other} has signed in meanwhile, in another tab.`}{' '}
        What you typed stays as it is, and is there when you are back.
      </p>
      {providers.length > 0 && <Providers providers={providers} inOtherTab />}
      <PasswordForm
        email={keys.user.email}
        onSignIn={(issued) => {
          noteNew();
          keys.goOn(issued);
          return Promise.resolve();
        }}
      />
      <div className="row end">
        <button type="button" className="danger" onClick={onLeave}>
          Leave, and lose what is not saved
        </button>
      </div>
    </Dialog>
  );
}
