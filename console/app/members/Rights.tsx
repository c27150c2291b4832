// Rights as sentences, with the service's own word beside each.
import type { ReactNode } from 'react';
import { useChannels } from '../api/queries.ts';
import { sayRight, withoutCovered } from './rights.ts';

export function Rights({ rights }: { readonly rights: readonly string[] }): ReactNode {
  const { data: channels = [] } = useChannels();
  const nameChannel = (id: string): string => channels.find((each) => each.id === id)?.name ?? id;
  if (rights.length === 0)
    return <p>What every member may: read as visitors do, drafts too, and what channels and entries admit.</p>;
  return (
    <ul className="may">
      {withoutCovered(rights).map((right) => (
        <li key={right}>
          {sayRight(right, nameChannel)} <code className="faint">{right}</code>
        </li>
      ))}
    </ul>
  );
}
