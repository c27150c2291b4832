// Makes a customer, or changes one.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import type { Customer, JsonObject } from '../api/types.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { useSession } from '../shell/session.tsx';

interface Props {
  /** null: a new one. */
  readonly customer: Customer | null;
  readonly onClose: () => void;
}

interface Typed {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly roles: string;
}

const hints: Readonly<Record<keyof Typed, string>> = {
  id: 'As your identity provider has it. Empty: the service makes one. It never changes.',
  name: '',
  email: '',
  roles: 'With commas between them.',
};
const labels: Readonly<Record<keyof Typed, string>> = { id: 'Id', name: 'Name', email: 'Email', roles: 'Roles' };

/** What is sent: an empty member is none. */
function toBody({ id, name, email, roles }: Typed, isNew: boolean): JsonObject {
  const listed = roles.split(',').map((role) => role.trim());
  return {
    ...(isNew && id !== '' && { id }),
    name: name === '' ? null : name,
    email: email === '' ? null : email,
    roles: listed.filter((role) => role !== ''),
  };
}

export function CustomerDialog({ customer, onClose }: Props): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [typed, setTyped] = useState<Typed>({
    id: '',
    name: customer?.name ?? '',
    email: customer?.email ?? '',
    roles: customer?.roles.join(', ') ?? '',
  });
  const save = useMutation({
    mutationFn: () => {
      const body = toBody(typed, customer === null);
      return customer === null
        ? send('POST', '/customers', { body })
        : send('PATCH', path`/customers/${customer.id}`, { body });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['customers'] });
      onClose();
    },
  });
  const problems = save.error instanceof Problem ? save.error.details.errors : [];
  const names = (Object.keys(labels) as (keyof Typed)[]).filter((name) => customer === null || name !== 'id');
  return (
    <Dialog title={customer === null ? 'New customer' : 'Change the customer'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {names.map((name) => (
          <Labelled
            key={name}
            label={labels[name]}
            hint={hints[name]}
            problem={problems.find(({ field }) => field.startsWith(name))?.message}
          >
            {(attributes) => (
              <input
                {...attributes}
                autoComplete="off"
                value={typed[name]}
                onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
              />
            )}
          </Labelled>
        ))}
        {save.error && <ProblemNotice error={save.error} />}
        <div className="row end">
          <button type="submit" className="primary" disabled={save.isPending}>
            {customer === null ? 'Create' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
