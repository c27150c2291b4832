// The entries of a channel, page by page, as the preview has them.
import type { VisibilityState } from '@tanstack/react-table';
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useRights } from '../api/queries.ts';
import type { Channel, Entry } from '../api/types.ts';
import { useChanged } from '../live/live.tsx';
import { Who } from '../live/Who.tsx';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { usePreview } from '../preview/context.tsx';
import { useActorName } from '../preview/useActorName.ts';
import { WhyDialog } from '../preview/Why.tsx';
import { sayRefusedCreate } from '../preview/rights.ts';
import { useSession } from '../shell/session.tsx';
import { hiddenAtFirst, makeColumns, nameEntry, seenNames } from './columns.tsx';
import { EntryTable } from './EntryTable.tsx';
import { Filters } from './Filters.tsx';
import { filterables } from './query.ts';
import { useList, useListState, type ListPage } from './useList.ts';

export function EntryList({ channel }: { readonly channel: Channel }): ReactNode {
  const { preview, isPossible } = usePreview();
  const [showsHidden, setShowsHidden] = useState(false);
  const [asked, setAsked] = useState<Entry | null>(null);
  const withHidden = preview !== null && showsHidden;
  const [state, change] = useListState(channel.id, withHidden ? null : preview);
  const { data, error, refetch, isPlaceholderData } = useList({ channel: channel.id, state, preview, withHidden });
  const { count, actors, forget } = useChanged(channel.id);
  const actor = useActorName(preview?.as ?? 'anonymous');
  const reload = (): void => {
    forget();
    void refetch();
  };
  const seen = useMemo(() => seenNames(data?.entries ?? []), [data]);
  return (
    <>
      <Filters fields={filterables(channel, seen)} search={state.search} filters={state.filters} onChange={change} />
      <div className="row">
        {preview === null && <NewLink channel={channel} />}
        {preview !== null && (
          <label>
            <input type="checkbox" checked={showsHidden} onChange={({ target }) => setShowsHidden(target.checked)} />{' '}
            Also list what {actor} does not see
          </label>
        )}
        {count > 0 && (
          <>
            <button type="button" className="mark" onClick={reload}>
              {count === 1 ? '1 change' : `${count} changes`} – show
            </button>
            {actors.length > 0 && (
              <span className="faint">
                by <Who actors={actors} />
              </span>
            )}
          </>
        )}
      </div>
      {error && <ProblemNotice error={error} retry={reload} />}
      {!error && !data && <Loading what="entries" />}
      {!error && data && (
        <div className={isPlaceholderData ? 'stale' : ''} aria-busy={isPlaceholderData}>
          <Page
            channel={channel}
            page={data}
            seen={seen}
            state={state}
            change={change}
            onWhy={isPossible ? setAsked : undefined}
          />
          <Pager
            page={data}
            cursors={state.cursors}
            onMove={(cursors) => {
              change({ cursors });
              window.scrollTo(0, 0);
            }}
          />
        </div>
      )}
      {asked && (
        <WhyDialog channel={asked.channel} id={asked.id} title={nameEntry(asked)} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

/** The way to a new entry; where the token may not create any, the reason stands beside it. */
function NewLink({ channel }: { readonly channel: Channel }): ReactNode {
  const { session } = useSession();
  const { data: rights } = useRights(channel.id);
  if (rights === undefined) return null;
  if (rights.create) {
    return (
      <Link className="button primary" href={`/channels/${encodeURIComponent(channel.id)}/new`}>
        New entry
      </Link>
    );
  }
  return (
    <>
      <button type="button" className="primary" disabled>
        New entry
      </button>
      <span className="faint">{sayRefusedCreate(session)}</span>
    </>
  );
}

interface PageProps {
  readonly channel: Channel;
  readonly page: ListPage;
  readonly seen: readonly string[];
  readonly state: ReturnType<typeof useListState>[0];
  readonly change: ReturnType<typeof useListState>[1];
  readonly onWhy: ((entry: Entry) => void) | undefined;
}

function Page({ channel, page, seen, state, change, onWhy }: PageProps): ReactNode {
  const [chosen, setChosen] = useState<VisibilityState | null>(null);
  const columns = useMemo(() => makeColumns(channel, seen), [channel, seen]);
  if (page.entries.length === 0) {
    const isFiltered = state.search !== '' || state.filters.length > 0;
    return (
      <Empty>{isFiltered ? 'No entry matches the search and the filters.' : 'There are no entries to see here.'}</Empty>
    );
  }
  return (
    <EntryTable
      entries={page.entries}
      columns={columns}
      visibility={chosen ?? hiddenAtFirst(channel, seen)}
      onVisibility={setChosen}
      sort={state.sort}
      onSort={(sort) => change({ sort })}
      hidden={page.hidden}
      onWhy={onWhy}
      caption={`Entries of ${channel.name}`}
    />
  );
}

interface PagerProps {
  readonly page: ListPage;
  readonly cursors: readonly string[];
  readonly onMove: (cursors: readonly string[]) => void;
}

function Pager({ page: { next, total }, cursors, onMove }: PagerProps): ReactNode {
  return (
    <nav className="row" aria-label="Pages">
      <button type="button" disabled={cursors.length === 0} onClick={() => onMove(cursors.slice(0, -1))}>
        Previous
      </button>
      <span role="status">
        Page {cursors.length + 1}
        {total !== '' && `, ${total}`}
      </span>
      <button type="button" disabled={next === null} onClick={() => next !== null && onMove([...cursors, next])}>
        Next
      </button>
    </nav>
  );
}
