// The access tokens of the site: made, shown once, and revoked.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import type { AccessToken } from '../api/types.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { Secret } from '../parts/Secret.tsx';
import { fromLocalInput } from '../parts/times.ts';
import { useSession } from '../shell/session.tsx';
import { Credentials } from './Credentials.tsx';
import { useTitle } from '../shell/useTitle.ts';

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
        A public token may stand in a web page. A master token may do everything on the site: keep it on your servers.
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
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const make = useMutation({
    // The answer has the token: it is kept no longer than it is shown.
    gcTime: 0,
    mutationFn: async () => {
      const body = { kind, name: name === '' ? null : name, expires_at: fromLocalInput(expires) };
      return (await send('POST', '/tokens', { body })).body as AccessToken;
    },
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  if (make.data?.token !== undefined)
    return <Secret title="The new token" secret={make.data.token} onClose={onClose} />;
  return (
    <Dialog title="New token" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Labelled label="Kind">
          {(attributes) => (
            <select {...attributes} value={kind} onChange={({ target }) => setKind(target.value)}>
              <option value="public">public: sees what visitors see</option>
              <option value="master">master: may do everything on the site</option>
            </select>
          )}
        </Labelled>
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
        {make.error && <ProblemNotice error={make.error} />}
        <div className="row end">
          <button type="submit" className="primary" disabled={make.isPending}>
            Make the token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
