// A page of entries as a table. On narrow screens the style sheet makes each row a card.
import {
  flexRender,
  getCoreRowModel,
  useReactTable,
  type ColumnDef,
  type Header,
  type SortingState,
  type VisibilityState,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { Entry, Json } from '../api/types.ts';
import { nameEntry } from './columns.tsx';
import type { SortKey } from './query.ts';

interface Props {
  readonly entries: readonly Entry[];
  readonly columns: ColumnDef<Entry, Json>[];
  readonly visibility: VisibilityState;
  readonly onVisibility: (next: VisibilityState) => void;
  readonly sort: readonly SortKey[];
  readonly onSort: (next: readonly SortKey[]) => void;
  readonly hidden: ReadonlySet<string> | null;
  /** Absent: the token may not ask why. */
  readonly onWhy: ((entry: Entry) => void) | undefined;
  readonly caption: string;
}

export function EntryTable(props: Props): ReactNode {
  const { entries, columns, visibility, onVisibility, sort, onSort, hidden, onWhy, caption } = props;
  const sorting: SortingState = [...sort];
  const table = useReactTable({
    data: entries as Entry[],
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: ({ id }) => id,
    manualSorting: true,
    state: { sorting, columnVisibility: visibility },
    onSortingChange: (change) => onSort(typeof change === 'function' ? change(sorting) : change),
    onColumnVisibilityChange: (change) => onVisibility(typeof change === 'function' ? change(visibility) : change),
  });
  const names = new Map(table.getAllLeafColumns().map((column) => [column.id, String(column.columnDef.header)]));
  return (
    <>
      <details className="columns">
        <summary>Columns</summary>
        <fieldset>
          <legend>Columns to show</legend>
          {table
            .getAllLeafColumns()
            .filter((column) => column.getCanHide())
            .map((column) => (
              <label key={column.id}>
                <input type="checkbox" checked={column.getIsVisible()} onChange={column.getToggleVisibilityHandler()} />{' '}
                {names.get(column.id)}
              </label>
            ))}
        </fieldset>
      </details>
      <table className="cards">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {table.getFlatHeaders().map((header) => (
              <ColumnHeader key={header.id} header={header} />
            ))}
            {onWhy && <th scope="col">Why</th>}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className={hidden?.has(row.id) === true ? 'hidden-entry' : ''}>
              {row.getVisibleCells().map((cell) => (
                <td key={cell.id} data-label={names.get(cell.column.id)}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  {cell.column.id === 'title_field_value' && hidden?.has(row.id) === true && (
                    <span className="badge no">hidden</span>
                  )}
                </td>
              ))}
              {onWhy && (
                <td data-label="Why">
                  <button
                    type="button"
                    className="quiet"
                    aria-label={`Why: ${nameEntry(row.original)}`}
                    onClick={() => onWhy(row.original)}
                  >
                    Why?
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const directions = { asc: 'ascending', desc: 'descending' } as const;

function ColumnHeader({ header }: { readonly header: Header<Entry, Json> }): ReactNode {
  const { column } = header;
  const direction = column.getIsSorted();
  const label = flexRender(column.columnDef.header, header.getContext());
  if (!column.getCanSort()) return <th scope="col">{label}</th>;
  return (
    <th scope="col" aria-sort={direction === false ? 'none' : directions[direction]}>
      <button type="button" className="sorter" onClick={column.getToggleSortingHandler()}>
        {label}
        <span aria-hidden="true">{direction === false ? '' : direction === 'asc' ? ' ↑' : ' ↓'}</span>
      </button>
    </th>
  );
}
