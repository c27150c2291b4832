// Fields that lead to other entries, and the dialog in which these are found.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import type { Json, JsonObject, Stub } from '../api/types.ts';
import { nameEntry } from '../entries/columns.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { useSession } from '../shell/session.tsx';
import type { EditorProps } from './props.ts';
import { readList, showPart } from './values.ts';

/** What a reference is called: a stub by its title, anything else as it is. */
function nameReference(value: Json): string {
  const isObject = typeof value === 'object' && value !== null;
  return isObject ? nameEntry(value as unknown as Stub) : String(value);
}

export function ReferenceEditor({ field, value, onChange, attributes }: EditorProps): ReactNode {
  const name = field.label ?? field.name;
  return (
    <div className="row" role="group" aria-label={name} aria-describedby={attributes['aria-describedby']}>
      <span className="chosen">{value === null ? 'None' : nameReference(value)}</span>
      <PickButton channel={field.channel} title={name} onPick={onChange}>
        Choose <span className="unseen">{name}</span>
      </PickButton>
      {value !== null && (
        <button type="button" className="quiet" onClick={() => onChange(null)}>
          Clear <span className="unseen">{name}</span>
        </button>
      )}
    </div>
  );
}

export function ReferencesEditor({ field, value, onChange, attributes }: EditorProps): ReactNode {
  const items = readList(value);
  const name = field.label ?? field.name;
  const moveUp = (index: number): void => {
    const next = [...items];
    next.splice(index - 1, 0, ...next.splice(index, 1));
    onChange(next);
  };
  return (
    <div role="group" aria-label={name} aria-describedby={attributes['aria-describedby']}>
      <ol>
        {items.map((item, index) => (
          <li key={index} className="row">
            <span className="chosen">{nameReference(item)}</span>
            <button type="button" className="quiet" disabled={index === 0} onClick={() => moveUp(index)}>
              Up <span className="unseen">{nameReference(item)}</span>
            </button>
            <button type="button" className="quiet" onClick={() => onChange(items.filter((_each, at) => at !== index))}>
              Remove <span className="unseen">{nameReference(item)}</span>
            </button>
          </li>
        ))}
      </ol>
      <PickButton channel={field.channel} title={name} onPick={(stub) => onChange([...items, stub])}>
        Add <span className="unseen">to {name}</span>
      </PickButton>
    </div>
  );
}

type PickButtonProps = Omit<PickerProps, 'onClose'> & { readonly children: ReactNode };

/** A button that opens the dialog in which an entry is found. */
function PickButton({ children, ...picker }: PickButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        {children}
      </button>
      {isOpen && <Picker {...picker} onClose={() => setIsOpen(false)} />}
    </>
  );
}

interface PickerProps {
  readonly channel: string | null;
  readonly title: string;
  readonly onPick: (stub: JsonObject) => void;
  readonly onClose: () => void;
}

function Picker({ channel, title, onPick, onClose }: PickerProps): ReactNode {
  const { send } = useSession();
  const [text, setText] = useState('');
  const { data, error } = useQuery({
    queryKey: ['picker', channel, text],
    enabled: channel !== null,
    queryFn: async ({ signal }) => {
      const query = {
        per_page: '12',
        only: 'channel,slug,title_field_value',
        ...(text.trim() !== '' && { 'title_field_value.contains': text.trim() }),
      };
      return (await send('GET', path`/channels/${channel ?? ''}/entries`, { query, signal }))
        .body as readonly JsonObject[];
    },
  });
  return (
    <Dialog title={`Choose: ${title}`} onClose={onClose}>
      <input
        type="search"
        aria-label="Title contains"
        placeholder="Title contains …"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {channel === null && <Empty>The channel that this field leads to does not exist for your token.</Empty>}
      {error && <ProblemNotice error={error} />}
      {!data && !error && channel !== null && <Loading what="entries" />}
      {data?.length === 0 && <Empty>No entry has such a title.</Empty>}
      <ul className="plain picks">
        {(data ?? []).map((stub) => (
          <li key={showPart(stub['id'])}>
            <button
              type="button"
              onClick={() => {
                onPick(stub);
                onClose();
              }}
            >
              {nameReference(stub)}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
