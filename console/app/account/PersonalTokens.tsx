// The personal tokens of whoever is signed in: for programs that work as this user. Made, shown once, and revoked.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import type { PersonalToken } from '../api/types.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { Credentials } from '../people/Credentials.tsx';
import { TokenDialog } from '../people/TokenDialog.tsx';
import { useSession } from '../shell/session.tsx';

const queryKey = ['personal tokens'];

export function PersonalTokens(): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const list = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await send('GET', '/me/tokens', { signal })).body as readonly PersonalToken[],
  });
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Personal tokens</h2>
      <p>With one of them a program works as you do: keep it where only that program reads it.</p>
      <Credentials
        what="token"
        list={list}
        name={({ name, id, site }) => `${name ?? id} (${site ?? 'every site'})`}
        remove={(id) => send('DELETE', path`/me/tokens/${id}`)}
        onRemoved={() => void client.invalidateQueries({ queryKey })}
      />
      <div className="row">
        <button type="button" onClick={() => setIsOpen(true)}>
          New personal token
        </button>
      </div>
      {isOpen && <NewPersonalToken onClose={() => setIsOpen(false)} />}
    </section>
  );
}

function NewPersonalToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { send, session } = useSession();
  const client = useQueryClient();
  const [site, setSite] = useState(session.site);
  return (
    <TokenDialog
      title="New personal token"
      unlimited={site === null ? null : 'all that you may do'}
      canOwn
      make={async (settings) =>
        (await send('POST', '/me/tokens', { body: { site, ...settings } })).body as PersonalToken
      }
      onMade={() => client.invalidateQueries({ queryKey })}
      onClose={onClose}
    >
      <Labelled label="Works on" hint="Scopes are of one site.">
        {(attributes) => (
          <select
            {...attributes}
            value={site ?? ''}
            onChange={({ target }) => setSite(target.value === '' ? null : target.value)}
          >
            {session.site !== null && <option value={session.site}>this site, {session.site}</option>}
            <option value="">every site of yours</option>
          </select>
        )}
      </Labelled>
    </TokenDialog>
  );
}
