// The access list of an entry, its owner, and who gains and loses by a change.
import { useState, type ReactNode } from 'react';
import { useRights } from '../api/queries.ts';
import type { Action, AclRule, Channel, EntryAcl } from '../api/types.ts';
import { readText } from '../fields/values.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { nameKey, nameScope } from '../preview/why.ts';
import { compareAccess, entryActions, readAcl, type AccessList } from './acl.ts';
import type { Editing } from './useEditing.ts';

interface Props {
  readonly channel: Channel;
  readonly editing: Editing;
}

export function AccessTab({ channel, editing }: Props): ReactNode {
  const { values, set } = editing;
  const isAllowed = useRights(channel.id).data?.access === true;
  const acl = readAcl(values['_acl'] ?? null);
  const change = (next: EntryAcl): void => set('_acl', next);
  return (
    <fieldset disabled={!isAllowed} className="bare">
      <legend className="unseen">Access</legend>
      {!isAllowed && <p>Your token may not change who may do what.</p>}
      <table className="cards">
        <caption>What the entry says to whom. A key that says allow goes before all that say deny.</caption>
        <thead>
          <tr>
            <th scope="col">Who</th>
            {entryActions.map((action) => (
              <th scope="col" key={action}>
                {action}
              </th>
            ))}
            <th scope="col">
              <span className="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(acl).map(([key, rule]) => (
            <RuleRow
              key={key}
              actor={key}
              rule={rule}
              onChange={(next) => change({ ...acl, [key]: next })}
              onRemove={() => change(Object.fromEntries(Object.entries(acl).filter(([other]) => other !== key)))}
            />
          ))}
        </tbody>
      </table>
      <KeyAdder taken={Object.keys(acl)} onAdd={(key) => change({ ...acl, [key]: { read: true } })} />
      <Labelled label="Owner" hint="The id of the customer to whom the entry belongs. Empty: nobody.">
        {(attributes) => (
          <input
            {...attributes}
            value={readText(values['_owner'])}
            onChange={({ target }) => set('_owner', target.value === '' ? null : target.value)}
          />
        )}
      </Labelled>
      {channel.acl && (
        <p className="faint">
          Where no key decides, the channel does: read by {nameScope(channel.acl.read, 'read')}, update by{' '}
          {nameScope(channel.acl.update, 'update')}, delete by {nameScope(channel.acl.delete, 'delete')}.
        </p>
      )}
      <Differences channel={channel} editing={editing} />
    </fieldset>
  );
}

interface RowProps {
  readonly actor: string;
  readonly rule: AclRule;
  readonly onChange: (rule: AclRule) => void;
  readonly onRemove: () => void;
}

function RuleRow({ actor, rule, onChange, onRemove }: RowProps): ReactNode {
  const change = (action: Action, word: string): void => {
    const { [action]: _before, ...others } = rule;
    onChange(word === '' ? others : { ...others, [action]: word === 'allow' });
  };
  return (
    <tr>
      <td data-label="Who">
        {nameKey(actor)} <code>{actor}</code>
      </td>
      {entryActions.map((action) => (
        <td key={action} data-label={action}>
          <select
            aria-label={`${action}: ${actor}`}
            value={rule[action] === undefined ? '' : rule[action] ? 'allow' : 'deny'}
            onChange={({ target }) => change(action, target.value)}
          >
            <option value="">says nothing</option>
            <option value="allow">allow</option>
            <option value="deny">deny</option>
          </select>
        </td>
      ))}
      <td>
        <button type="button" className="quiet" onClick={onRemove}>
          Remove <span className="unseen">{actor}</span>
        </button>
      </td>
    </tr>
  );
}

const prefixes = { everyone: '*', customers: 'users', role: 'role:', customer: 'id:' } as const;

function KeyAdder({ taken, onAdd }: { taken: readonly string[]; onAdd: (key: string) => void }): ReactNode {
  const [kind, setKind] = useState<keyof typeof prefixes>('role');
  const [name, setName] = useState('');
  const isNamed = kind === 'role' || kind === 'customer';
  const key = prefixes[kind] + (isNamed ? name.trim() : '');
  const isTaken = taken.includes(key) || (kind === 'customer' && taken.includes(name.trim()));
  return (
    <div className="row">
      <select
        aria-label="Whom to add"
        value={kind}
        onChange={({ target }) => setKind(target.value as keyof typeof prefixes)}
      >
        <option value="role">Customers with the role</option>
        <option value="customer">The customer with the id</option>
        <option value="customers">All signed-in customers</option>
        <option value="everyone">Everyone</option>
      </select>
      {isNamed && (
        <input
          aria-label={kind === 'role' ? 'Role' : 'Customer’s id'}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      )}
      <button
        type="button"
        disabled={isTaken || (isNamed && name.trim() === '')}
        onClick={() => {
          onAdd(key);
          setName('');
        }}
      >
        Add to the list
      </button>
    </div>
  );
}

function Differences({ channel, editing: { stored, values } }: Props): ReactNode {
  if (!channel.acl) return null;
  const list = (from: typeof values): AccessList => ({
    acl: readAcl(from['_acl'] ?? null),
    owner: readText(from['_owner']) || null,
  });
  const differences = compareAccess(channel.acl, list(stored), list(values));
  return (
    <section aria-label="Who gains and loses" aria-live="polite">
      <h3>Who gains and loses</h3>
      {differences.length === 0 && <p>Nobody gains or loses anything compared with what is stored.</p>}
      <ul>
        {differences.map(({ who, gains, loses }) => (
          <li key={who}>
            <strong>{who}</strong>
            {gains.length > 0 && <span className="gain"> gain: {gains.join(', ')}.</span>}
            {loses.length > 0 && <span className="loss"> lose: {loses.join(', ')}.</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
