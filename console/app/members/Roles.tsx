// The roles of the site, each with its rights: the built-in ones, and those that are made here.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import { useMe } from '../api/queries.ts';
import { Problem } from '../api/problem.ts';
import type { JsonObject } from '../api/types.ts';
import { Confirm } from '../parts/Confirm.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { useSession } from '../shell/session.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { PeopleTabs } from './PeopleTabs.tsx';
import { nameRole, useRoles, type Role } from './queries.ts';
import { lackedOf } from './rights.ts';
import { Rights } from './Rights.tsx';
import { RightsEditor } from './RightsEditor.tsx';

export default function Roles(): ReactNode {
  useTitle('Roles');
  const { data, error, refetch } = useRoles();
  const mine = useMe().data?.rights ?? [];
  const [dialog, setDialog] = useState<{ readonly kind: 'edit' | 'delete'; readonly role: Role | null } | null>(null);
  const close = (): void => setDialog(null);
  return (
    <>
      <h1>Roles</h1>
      <PeopleTabs />
      <div className="row">
        <button type="button" className="primary" onClick={() => setDialog({ kind: 'edit', role: null })}>
          New role
        </button>
      </div>
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="roles" />}
      <ul className="plain roles">
        {data?.map((role) => {
          const lacked = lackedOf(role.rights, mine);
          return (
            <li key={role.id}>
              <h2>{nameRole(role)}</h2>
              <p className="faint">
                <code>{role.id}</code>
                {role.built_in && ', built in'}
              </p>
              <Rights rights={role.rights} />
              {!role.built_in && lacked.length === 0 && (
                <div className="row">
                  <button type="button" onClick={() => setDialog({ kind: 'edit', role })}>
                    Change <span className="unseen">{nameRole(role)}</span> …
                  </button>
                  <button type="button" className="danger" onClick={() => setDialog({ kind: 'delete', role })}>
                    Delete <span className="unseen">{nameRole(role)}</span> …
                  </button>
                </div>
              )}
              {!role.built_in && lacked.length > 0 && (
                <p className="faint">Only who has all its rights changes it: you lack {lacked.join(', ')}.</p>
              )}
            </li>
          );
        })}
      </ul>
      {dialog?.kind === 'edit' && <RoleDialog role={dialog.role} onClose={close} />}
      {dialog?.kind === 'delete' && dialog.role && <Deletion role={dialog.role} onClose={close} />}
    </>
  );
}

function RoleDialog({ role, onClose }: { readonly role: Role | null; readonly onClose: () => void }): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [id, setId] = useState('');
  const [name, setName] = useState(role?.name ?? '');
  const [rights, setRights] = useState(role?.rights ?? []);
  const save = useMutation({
    mutationFn: () => {
      const body: JsonObject = { name: name.trim() === '' ? null : name.trim(), rights };
      return role === null
        ? send('POST', '/roles', { body: { id: id.trim(), ...body } })
        : send('PATCH', path`/roles/${role.id}`, { body });
    },
    onSuccess: async () => {
      await Promise.all([['roles'], ['me'], ['rights']].map((queryKey) => client.invalidateQueries({ queryKey })));
      onClose();
    },
  });
  const faults = save.error instanceof Problem ? save.error.details.errors : [];
  const faultOf = (field: string): string | undefined => faults.find((each) => each.field.startsWith(field))?.message;
  return (
    <Dialog title={role === null ? 'New role' : `Change ${nameRole(role)}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {role === null && (
          <Labelled label="Id" hint="Lower-case letters, digits, - and _. It never changes." problem={faultOf('id')}>
            {(attributes) => (
              <input {...attributes} required value={id} onChange={({ target }) => setId(target.value)} />
            )}
          </Labelled>
        )}
        <Labelled label="Name" hint="As people read it." problem={faultOf('name')}>
          {(attributes) => <input {...attributes} value={name} onChange={({ target }) => setName(target.value)} />}
        </Labelled>
        <RightsEditor rights={rights} onChange={setRights} />
        {save.error && <ProblemNotice error={save.error} />}
        <div className="row end">
          <button type="submit" className="primary" disabled={save.isPending || (role === null && id === '')}>
            {role === null ? 'Make the role' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Deletion({ role, onClose }: { readonly role: Role; readonly onClose: () => void }): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  return (
    <Confirm
      title={`Delete the role ${nameRole(role)}?`}
      action="Delete"
      run={() => send('DELETE', path`/roles/${role.id}`, { query: { confirm: role.id } })}
      onClose={onClose}
      onDone={() => {
        for (const queryKey of [['roles'], ['members'], ['me'], ['rights']])
          void client.invalidateQueries({ queryKey });
        onClose();
      }}
    >
      <p>Members who have it lose it within a second, with the rights that no other of their roles gives.</p>
    </Confirm>
  );
}
