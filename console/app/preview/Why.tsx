// Why somebody sees an entry or not: a sentence, and a table of what was considered.
import { useState, type ReactNode } from 'react';
import { actions, type Decision, type Explained, type Explanation } from '../api/types.ts';
import { useExplanation } from '../api/queries.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { asProblem } from '../api/problem.ts';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';
import { ActorPicker } from './ActorPicker.tsx';
import { usePreview } from './context.tsx';
import type { Preview } from './preview.ts';
import { useActorName } from './useActorName.ts';
import { nameKey, sayDecision, sayVerdict } from './why.ts';

interface Asked {
  readonly channel: string;
  readonly id: string;
}

export function WhyDialog({ title, onClose, ...asked }: Asked & { title: string; onClose: () => void }): ReactNode {
  return (
    <Dialog title={`Who sees “${title}”, and why`} onClose={onClose}>
      <WhyPanel {...asked} />
    </Dialog>
  );
}

/** The explanation for the preview's actor, or for another one who is chosen here. */
export function WhyPanel({ channel, id }: Asked): ReactNode {
  const { preview } = usePreview();
  const [chosen, setChosen] = useState<string | null>(null);
  const as = chosen ?? preview?.as ?? 'anonymous';
  const at = preview?.at ?? null;
  return (
    <div className="why">
      <ActorPicker label="Explain for" as={as} onChange={setChosen} />
      {at !== null && <p className="faint">At {showTime(at)}</p>}
      <Explained channel={channel} id={id} preview={{ as, at }} />
    </div>
  );
}

function Explained({ channel, id, preview }: Asked & { readonly preview: Preview }): ReactNode {
  const { data, error, refetch } = useExplanation(channel, id, preview);
  const actor = useActorName(preview.as);
  if (error && asProblem(error).status === 404) {
    return (
      <p>There is no such entry, or your token may not read it itself: a preview shows only what both may read.</p>
    );
  }
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the explanation" />;
  const isSeen = data.read.allowed && data.publication.visible;
  return (
    <>
      <p className={isSeen ? 'verdict yes' : 'verdict no'} data-testid="verdict">
        {sayVerdict(actor, data, showTime)}
      </p>
      <ul className="plain">
        {([...actions, 'publish'] as const)
          .filter((action) => action !== 'read' && isTold(action, data[action]))
          .map((action) => (
            <li key={action}>{sayDecision(actor, action, data[action])}</li>
          ))}
      </ul>
      <Considered explanation={data} />
    </>
  );
}

/** Whether a decision is one to tell: of publishing, who may, and which member lacks the right. */
function isTold(action: Explained, { allowed, right }: Decision): boolean {
  return action !== 'publish' || allowed || typeof right === 'string';
}

function Considered({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const rows = actions.flatMap((action) => explanation[action].considered.map((each) => ({ action, ...each })));
  return (
    <table>
      <caption>Keys of the access list that match, and what they say</caption>
      <thead>
        <tr>
          <th scope="col">Action</th>
          <th scope="col">Key</th>
          <th scope="col">Says</th>
          <th scope="col">Decided</th>
        </tr>
      </thead>
      <tbody>
        {rows.length === 0 && (
          <tr>
            <td colSpan={4}>No key of the access list matches and says something.</td>
          </tr>
        )}
        {rows.map(({ action, key, says }) => (
          <tr key={`${action} ${key}`}>
            <td data-label="Action">{action}</td>
            <td data-label="Key">
              <code>{key}</code> <span className="faint">{nameKey(key)}</span>
            </td>
            <td data-label="Says">{says ? 'allow' : 'deny'}</td>
            <td data-label="Decided">{explanation[action].key === key ? 'yes' : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
