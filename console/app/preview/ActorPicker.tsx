// Chooses an actor: an anonymous visitor, a customer, any customer with some roles, or a member.
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import type { Customer, Member } from '../api/types.ts';
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
  // Somebody who is still to be named is no actor yet.
  const [unnamed, setUnnamed] = useState<'customer' | 'member' | null>(null);
  const shown: Choice = unnamed ?? (as === null ? 'own' : parseActor(as).kind);
  const choose = (next: Choice): void => {
    if (isNamed(next)) {
      setUnnamed(next);
      if (own !== undefined) onChange(null);
      return;
    }
    setUnnamed(null);
    onChange(next === 'own' ? null : formatActor(next, ''));
  };
  return (
    <div className="inline">
      <label htmlFor={kindId}>{label}</label>
      <select id={kindId} value={shown} onChange={({ target }) => choose(target.value as Choice)}>
        {own !== undefined && <option value="own">{own}</option>}
        <option value="anonymous">An anonymous visitor</option>
        <option value="customer">A customer …</option>
        <option value="roles">A customer with roles …</option>
        <option value="member">A member …</option>
      </select>
      {(isNamed(shown) || shown === 'roles') && (
        <ActorName
          key={shown}
          kind={shown}
          name={as === null || unnamed !== null ? '' : parseActor(as).name}
          onChange={(name) => {
            if (isNamed(shown) && name === '') choose(shown);
            else {
              setUnnamed(null);
              onChange(formatActor(shown, name));
            }
          }}
        />
      )}
    </div>
  );
}

/** Whether a choice is of somebody who has to be named. */
function isNamed(choice: Choice): choice is 'customer' | 'member' {
  return choice === 'customer' || choice === 'member';
}

interface NameProps {
  readonly kind: 'customer' | 'roles' | 'member';
  readonly name: string;
  readonly onChange: (name: string) => void;
}

const labels: Readonly<Record<NameProps['kind'], readonly [label: string, placeholder: string]>> = {
  customer: ['The customer’s id', 'Customer’s id'],
  roles: ['Roles, with commas between them', 'editor, subscriber'],
  member: ['The member', 'Choose one'],
};

/** The customer's or the member's id, or the roles. It holds from Enter, or when the field is left. */
function ActorName({ kind, name, onChange }: NameProps): ReactNode {
  const [typed, setTyped] = useState(name);
  const list = useId();
  const finish = (): void => {
    if (typed !== name) onChange(typed);
  };
  if (kind === 'member') return <MemberPicker label={labels.member[0]} name={name} onChange={onChange} />;
  const [label, placeholder] = labels[kind];
  return (
    <>
      <input
        aria-label={label}
        placeholder={placeholder}
        list={kind === 'customer' ? list : undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={finish}
        onKeyDown={({ key }) => {
          if (key === 'Enter') finish();
        }}
      />
      {kind === 'customer' && <CustomerIds id={list} />}
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

interface MemberProps {
  readonly label: string;
  readonly name: string;
  readonly onChange: (user: string) => void;
}

/** The members of the site, by name: every member may know them. One who is beyond the first hundred is chosen on the screen of members. */
function MemberPicker({ label, name, onChange }: MemberProps): ReactNode {
  const { send } = useSession();
  const { data = [] } = useQuery({
    queryKey: ['members', 'suggested'],
    queryFn: async ({ signal }) =>
      (await send('GET', '/members', { query: { per_page: '100' }, signal })).body as readonly Member[],
  });
  return (
    <select aria-label={label} value={name} onChange={({ target }) => onChange(target.value)}>
      <option value="">–</option>
      {data.every(({ user }) => user !== name) && name !== '' && <option value={name}>{name}</option>}
      {data.map(({ user, name: called, email }) => (
        <option key={user} value={user}>
          {called ?? email ?? user}
        </option>
      ))}
    </select>
  );
}
