// The scopes of a channel, and what a change of them would show and hide.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import { asProblem, Problem } from '../api/problem.ts';
import { useHas } from '../api/queries.ts';
import { actions, type Action, type AclPreview, type Channel, type Scope } from '../api/types.ts';
import { sayRefusal } from '../entry/failure.ts';
import { useConnected } from '../live/connection.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { useSaveKey } from '../parts/useSaveKey.ts';
import { nameScope } from '../preview/why.ts';
import { useSession } from '../shell/session.tsx';
import { changedAccess, readAccess, type ChangedAccess } from './access.ts';
import { PreviewOfAccess } from './PreviewOfAccess.tsx';

const scopes: readonly Scope[] = ['public', 'shared', 'private', 'none'];

export function ChannelAccess({ channel }: { readonly channel: Channel }): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [first] = useState(() => readAccess(channel));
  const [form, setForm] = useState(first);
  const element = useRef<HTMLFormElement>(null);
  useSaveKey(element);
  const { acl, publishable } = form;
  const changes = changedAccess(first, form);
  const isChanged = Object.keys(changes).length > 0;
  const save = useMutation({
    mutationFn: (confirm: string | null) =>
      send('PATCH', path`/channels/${channel.id}`, { query: { confirm }, body: { ...changes } }),
    onSuccess: () => client.invalidateQueries(),
  });
  const isConnected = useConnected();
  const mayChange = useHas()('channels');
  const needsConfirmation = save.error instanceof Problem && save.error.status === 409;
  return (
    <form
      ref={element}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(null);
      }}
    >
      <fieldset disabled={!mayChange} className="bare">
        <legend className="unseen">Access</legend>
        {!mayChange && (
          <p>
            Only a master token, or a member with the right <code>channels</code>, changes the channel. Others can look
            at what a change would do.
          </p>
        )}
        <div className="fields">
          {actions.map((action) => (
            <ScopeChoice
              key={action}
              action={action}
              scope={acl[action]}
              onChange={(scope) => setForm({ ...form, acl: { ...acl, [action]: scope } })}
            />
          ))}
        </div>
        <label>
          <input
            type="checkbox"
            checked={publishable}
            onChange={({ target }) => setForm({ ...form, publishable: target.checked })}
          />{' '}
          Publishable: visitors see only what is published
        </label>
      </fieldset>
      <AclPreviewSection channel={channel.id} changes={changes} />
      <div className="savebar">
        <button type="submit" className="primary" disabled={!mayChange || !isChanged || save.isPending}>
          Save
        </button>
        {needsConfirmation && (
          <button type="button" className="danger" onClick={() => save.mutate(channel.id)}>
            Save, and show what was hidden
          </button>
        )}
        {save.error ? (
          <ProblemNotice error={save.error} heading={sayRefusal(asProblem(save.error), isConnected)} />
        ) : (
          <span role="status">{isChanged ? 'Not saved yet' : save.isSuccess ? 'Saved' : ''}</span>
        )}
      </div>
    </form>
  );
}

interface ScopeProps {
  readonly action: Action;
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}

function ScopeChoice({ action, scope, onChange }: ScopeProps): ReactNode {
  return (
    <Labelled label={`Who may ${action}`}>
      {(attributes) => (
        <select {...attributes} value={scope} onChange={({ target }) => onChange(target.value as Scope)}>
          {scopes.map((each) => (
            <option key={each} value={each}>
              {each}: {nameScope(each, action)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface PreviewProps {
  readonly channel: string;
  readonly changes: ChangedAccess;
}

function AclPreviewSection({ channel, changes }: PreviewProps): ReactNode {
  const { send } = useSession();
  const isChanged = Object.keys(changes).length > 0;
  const query = { ...changes.acl, publishable: changes.publishable === undefined ? null : String(changes.publishable) };
  const { data, error } = useQuery({
    queryKey: ['acl-preview', channel, query],
    enabled: isChanged,
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await send('GET', path`/channels/${channel}/acl-preview`, { query, signal })).body as AclPreview,
  });
  return (
    <section aria-label="What visitors gain and lose" aria-live="polite">
      <h2>What visitors gain and lose</h2>
      {!isChanged && (
        <p>Change a scope, and this shows which entries would appear and disappear. Nothing is saved by that.</p>
      )}
      {isChanged && error && <ProblemNotice error={error} />}
      {isChanged && !error && !data && <Loading what="the preview" />}
      {isChanged && data && <PreviewOfAccess preview={data} />}
    </section>
  );
}
