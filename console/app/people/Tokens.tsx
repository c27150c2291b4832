// The access tokens of the site: made, shown once, and revoked.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import type { AccessToken } from '../api/types.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { useSession } from '../shell/session.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { Credentials } from './Credentials.tsx';
import { TokenDialog } from './TokenDialog.tsx';

const queryKey = ['tokens'];

export function Tokens(): ReactNode {
  useTitle('Tokens');
  const { send } = useSession();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const list = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await send('GET', '/tokens', { signal })).body as readonly AccessToken[],
  });
  return (
    <>
      <h1>Tokens</h1>
      <p>
        A public token may stand in a web page. A master token may do everything on the site, or what its scopes name:
        keep it on your servers.
      </p>
      <div className="row">
        <button type="button" className="primary" onClick={() => setIsOpen(true)}>
          New token
        </button>
      </div>
      <Credentials
        what="token"
        list={list}
        name={({ kind, name, id }) => `${name ?? id} (${kind})`}
        remove={(id) => send('DELETE', path`/tokens/${id}`)}
        onRemoved={() => void client.invalidateQueries({ queryKey })}
      />
      {isOpen && <NewToken onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NewToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [kind, setKind] = useState('public');
  return (
    <TokenDialog
      title="New token"
      unlimited={kind === 'master' ? 'everything on the site' : null}
      canOwn={false}
      make={async (settings) => (await send('POST', '/tokens', { body: { kind, ...settings } })).body as AccessToken}
      onMade={() => client.invalidateQueries({ queryKey })}
      onClose={onClose}
    >
      <Labelled label="Kind">
        {(attributes) => (
          <select {...attributes} value={kind} onChange={({ target }) => setKind(target.value)}>
            <option value="public">public: sees what visitors see</option>
            <option value="master">master: may do everything on the site, or what its scopes name</option>
          </select>
        )}
      </Labelled>
    </TokenDialog>
  );
}
