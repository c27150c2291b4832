// The rights of a role or a token, one by one: what one lacks oneself is not offered.
import { useState, type ReactNode } from 'react';
import { useChannels, useMe } from '../api/queries.ts';
import { entryRights, lackedOf, ownRights, sayRight, siteRights } from './rights.ts';

interface Props {
  readonly legend?: string;
  readonly rights: readonly string[];
  readonly onChange: (rights: readonly string[]) => void;
  /** Whether rights may be of own entries alone: a master token owns none. */
  readonly canOwn?: boolean;
}

export function RightsEditor({ legend = 'Rights', rights, onChange, canOwn = true }: Props): ReactNode {
  const { data: channels = [] } = useChannels();
  const mine = useMe().data?.rights ?? [];
  const [right, setRight] = useState('read');
  const [where, setWhere] = useState('');
  const [isOwn, setIsOwn] = useState(false);
  const isOnEntries = right in entryRights;
  const mayBeOwn = canOwn && ownRights.includes(right);
  const added = isOnEntries ? `${right}${isOwn && mayBeOwn ? ':own' : ''}${where === '' ? '' : `@${where}`}` : right;
  const nameChannel = (id: string): string => channels.find((each) => each.id === id)?.name ?? id;
  const isLacked = lackedOf([added], mine).length > 0;
  return (
    <fieldset>
      <legend>{legend}</legend>
      <ul className="plain">
        {rights.map((each) => (
          <li key={each} className="row">
            <span>
              {sayRight(each, nameChannel)} <code className="faint">{each}</code>
            </span>
            <button type="button" onClick={() => onChange(rights.filter((other) => other !== each))}>
              Take away <span className="unseen">{each}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className="row">
        <select aria-label="Right" value={right} onChange={({ target }) => setRight(target.value)}>
          {Object.entries({ ...entryRights, ...siteRights }).map(([id, text]) => (
            <option key={id} value={id}>
              {id in entryRights ? `${text} entries` : text}
            </option>
          ))}
        </select>
        {isOnEntries && (
          <select aria-label="Channel" value={where} onChange={({ target }) => setWhere(target.value)}>
            <option value="">of every channel</option>
            {channels.map(({ id, name }) => (
              <option key={id} value={id}>
                of {name}
              </option>
            ))}
          </select>
        )}
        {mayBeOwn && (
          <label>
            <input type="checkbox" checked={isOwn} onChange={({ target }) => setIsOwn(target.checked)} /> only own ones
          </label>
        )}
        <button
          type="button"
          disabled={isLacked || rights.includes(added)}
          onClick={() => onChange([...rights, added])}
        >
          Add the right
        </button>
      </div>
      {isLacked && <p className="faint">Nobody gives what they do not have: you lack {added}.</p>}
    </fieldset>
  );
}
