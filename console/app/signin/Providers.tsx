// The providers at which one signs in: each a link that leads there, and back to this page.
import { useState, type ReactNode } from 'react';
import { rememberLeaving } from './remembered.ts';
import { providerAddress, type ProviderWay } from './requests.ts';

interface Props {
  readonly providers: readonly ProviderWay[];
  /** Whether they open in another tab, so that this one stays as it is. */
  readonly inOtherTab: boolean;
}

export function Providers({ providers, inOtherTab }: Props): ReactNode {
  return (
    <div className="stack">
      {providers.map((provider) => (
        <Provider key={provider.id} provider={provider} inOtherTab={inOtherTab} />
      ))}
    </div>
  );
}

function Provider({
  provider,
  inOtherTab,
}: {
  readonly provider: ProviderWay;
  readonly inOtherTab: boolean;
}): ReactNode {
  // What is behind the `#` changes while the page is open.
  const [address, setAddress] = useState(() => providerAddress(provider));
  return (
    <a
      className="button wide"
      href={address}
      {...(inOtherTab && { target: '_blank', rel: 'noopener' })}
      onPointerDown={() => setAddress(providerAddress(provider))}
      onFocus={() => setAddress(providerAddress(provider))}
      onClick={rememberLeaving}
    >
      Sign in with {provider.name}
    </a>
  );
}
