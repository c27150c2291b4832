// A new access token: what it is called, when it ends and, where it may be limited, which rights it is limited to. Shown once.
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Credential, JsonObject } from '../api/types.ts';
import { RightsEditor } from '../members/RightsEditor.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { Secret } from '../parts/Secret.tsx';
import { fromLocalInput } from '../parts/times.ts';

interface Props {
  readonly title: string;
  /** What the token may do where it is not limited; null: it has no scopes. */
  readonly unlimited: string | null;
  /** Whether its scopes may be of own entries alone. */
  readonly canOwn: boolean;
  readonly make: (body: JsonObject) => Promise<Credential>;
  readonly onMade: () => unknown;
  readonly onClose: () => void;
  /** What is asked first. */
  readonly children: ReactNode;
}

export function TokenDialog({ title, unlimited, canOwn, make, onMade, onClose, children }: Props): ReactNode {
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const [isLimited, setIsLimited] = useState(false);
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const hasScopes = unlimited !== null && isLimited;
  const making = useMutation({
    // The answer has the token: it is kept no longer than it is shown.
    gcTime: 0,
    mutationFn: () =>
      make({ name: name === '' ? null : name, expires_at: fromLocalInput(expires), ...(hasScopes && { scopes }) }),
    onSuccess: onMade,
  });
  if (making.data?.token !== undefined)
    return <Secret title="The new token" secret={making.data.token} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        {children}
        <Labelled label="Name" hint="What it is for.">
          {(attributes) => <input {...attributes} value={name} onChange={({ target }) => setName(target.value)} />}
        </Labelled>
        <Labelled label="Expires" hint="Empty: never.">
          {(attributes) => (
            <input
              {...attributes}
              type="datetime-local"
              value={expires}
              onChange={({ target }) => setExpires(target.value)}
            />
          )}
        </Labelled>
        {unlimited !== null && (
          <Labelled label="May do">
            {(attributes) => (
              <select
                {...attributes}
                value={isLimited ? 'limited' : 'all'}
                onChange={({ target }) => setIsLimited(target.value === 'limited')}
              >
                <option value="all">{unlimited}</option>
                <option value="limited">only what its scopes name</option>
              </select>
            )}
          </Labelled>
        )}
        {hasScopes && <RightsEditor legend="Scopes" rights={scopes} onChange={setScopes} canOwn={canOwn} />}
        {hasScopes && scopes.length === 0 && <p className="faint">Without a scope it may do nothing.</p>}
        {making.error && <ProblemNotice error={making.error} />}
        <div className="row end">
          <button type="submit" className="primary" disabled={making.isPending}>
            Make the token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
