// The publication state of an entry, in words that say whether visitors may see it.
import type { ReactNode } from 'react';
import type { Entry } from '../api/types.ts';
import { showTime } from '../parts/times.ts';

interface Props {
  readonly entry: Pick<Entry, '_status' | '_publish_at'>;
  readonly publishable: boolean;
}

export function StatusBadge({ entry: { _status: status, _publish_at: at }, publishable }: Props): ReactNode {
  const isWaiting = status !== 'draft' && at !== null && Date.parse(at) > Date.now();
  const kind = !publishable ? 'plain' : status === 'draft' ? 'draft' : isWaiting ? 'later' : 'yes';
  const text = isWaiting ? `${status}, from ${showTime(at)}` : status;
  return <span className={`badge ${kind}`}>{text}</span>;
}
