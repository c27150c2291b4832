// Chooses an actor: an anonymous visitor, a customer, or any customer with some roles.
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import type { Customer } from '../api/types.ts';
import { useHas } from '../api/queries.ts';
import { useSession } from '../shell/session.tsx';
import { formatActor, parseActor, type ActorKind } from './preview.ts';

interface Props {
  readonly label: string;
  /** How the choice of no actor is called; absent: somebody has to be chosen. */
  readonly own?: string;
  readonly as: string | null;
  readonly onChange: (as: string | null) => void;
}

type Choice = ActorKind | 'own';

export function ActorPicker({ label, own, as, onChange }: Props): ReactNode {
  const kindId = useId();
  const chosen: Choice = as === null ? 'own' : parseActor(as).kind;
  const [choice, setChoice] = useState<Choice>(chosen);
  // A preview that ends elsewhere ends here, too; a customer who is still to be named is no actor yet.
  const shown = as === null && choice !== 'customer' ? 'own' : as === null ? choice : chosen;
  const choose = (next: Choice): void => {
    setChoice(next);
    if (next === 'own' || next === 'customer') onChange(null);
    else onChange(formatActor(next, ''));
  };
  return (
    <div className="inline">
      <label htmlFor={kindId}>{label}</label>
      <select id={kindId} value={shown} onChange={({ target }) => choose(target.value as Choice)}>
        {own !== undefined && <option value="own">{own}</option>}
        <option value="anonymous">An anonymous visitor</option>
        <option value="customer">A customer …</option>
        <option value="roles">A customer with roles …</option>
      </select>
      {(shown === 'customer' || shown === 'roles') && (
        <ActorName
          key={shown}
          kind={shown}
          name={as === null ? '' : parseActor(as).name}
          onChange={(name) => onChange(shown === 'customer' && name === '' ? null : formatActor(shown, name))}
        />
      )}
    </div>
  );
}

interface NameProps {
  readonly kind: 'customer' | 'roles';
  readonly name: string;
  readonly onChange: (name: string) => void;
}

/** The customer's id, or the roles. It holds from Enter, or when the field is left. */
function ActorName({ kind, name, onChange }: NameProps): ReactNode {
  const [typed, setTyped] = useState(name);
  const list = useId();
  const isCustomer = kind === 'customer';
  const finish = (): void => {
    if (typed !== name) onChange(typed);
  };
  return (
    <>
      <input
        aria-label={isCustomer ? 'The customer’s id' : 'Roles, with commas between them'}
        placeholder={isCustomer ? 'Customer’s id' : 'editor, subscriber'}
        list={isCustomer ? list : undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={finish}
        onKeyDown={({ key }) => {
          if (key === 'Enter') finish();
        }}
      />
      {isCustomer && <CustomerIds id={list} />}
    </>
  );
}

/** Suggests the newest customers. Who may not list them types an id. */
function CustomerIds({ id }: { readonly id: string }): ReactNode {
  const { send } = useSession();
  const has = useHas();
  const { data = [] } = useQuery({
    queryKey: ['customers', 'suggested'],
    enabled: has('customers'),
    queryFn: async ({ signal }) =>
      (await send('GET', '/customers', { query: { per_page: '50' }, signal })).body as readonly Customer[],
  });
  return (
    <datalist id={id}>
      {data.map((customer) => (
        <option key={customer.id} value={customer.id}>
          {[customer.name, customer.email].filter((text) => text !== null).join(', ')}
        </option>
      ))}
    </datalist>
  );
}
