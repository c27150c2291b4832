// Makes a customer, or changes one.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import { Problem } from '../api/problem.ts';
import type { Customer } from '../api/types.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { useSession } from '../shell/session.tsx';
import { changedCustomer, toForm, type CustomerForm } from './customerForm.ts';

interface Props {
  /** null: a new one. */
  readonly customer: Customer | null;
  readonly onClose: () => void;
}

const hints: Readonly<Record<keyof CustomerForm, string>> = {
  id: 'As your identity provider has it. Empty: the service makes one. It never changes.',
  name: '',
  email: '',
  roles: 'With commas between them. A role with a comma stands in double quotes.',
};
const labels: Readonly<Record<keyof CustomerForm, string>> = { id: 'Id', name: 'Name', email: 'Email', roles: 'Roles' };

export function CustomerDialog({ customer, onClose }: Props): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [first] = useState(() => toForm(customer));
  const [typed, setTyped] = useState(first);
  const changes = changedCustomer(first, typed);
  const save = useMutation({
    mutationFn: () =>
      customer === null
        ? send('POST', '/customers', { body: changes })
        : send('PATCH', path`/customers/${customer.id}`, { body: changes }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['customers'] });
      onClose();
    },
  });
  const refused = save.error instanceof Problem ? save.error.details.errors : [];
  const problems =
    changes === null ? [{ field: 'roles', message: 'A comma must follow a closing double quote.' }] : refused;
  const isUnchanged = changes !== null && Object.keys(changes).length === 0;
  const names = (Object.keys(labels) as (keyof CustomerForm)[]).filter((name) => customer === null || name !== 'id');
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
          <button
            type="submit"
            className="primary"
            disabled={save.isPending || changes === null || (customer !== null && isUnchanged)}
          >
            {customer === null ? 'Create' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
