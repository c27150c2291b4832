// The search and the filters of a list.
import { useState, type ReactNode } from 'react';
import { operatorNames, takesValue, type Filter, type Filterable } from './query.ts';

interface Props {
  readonly fields: readonly Filterable[];
  readonly search: string;
  readonly filters: readonly Filter[];
  readonly onChange: (change: { readonly search?: string; readonly filters?: readonly Filter[] }) => void;
}

/** What is entered holds once it is applied, by Enter too. */
export function Filters({ fields, search, filters, onChange }: Props): ReactNode {
  const [typed, setTyped] = useState(search);
  const [rows, setRows] = useState(filters);
  const change = (index: number, changed: Partial<Filter>): void =>
    setRows(rows.map((row, at) => (at === index ? { ...row, ...changed } : row)));
  const remove = (index: number): void => {
    const left = rows.filter((_row, at) => at !== index);
    setRows(left);
    onChange({ filters: left });
  };
  const add = (): void => {
    const [first] = fields;
    if (first) setRows([...rows, { field: first.name, op: first.operators[0] ?? 'eq', value: '' }]);
  };
  return (
    <form
      className="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ search: typed, filters: rows });
      }}
    >
      <div className="row">
        <input
          type="search"
          aria-label="Search the texts"
          placeholder="Search the texts"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <button type="submit">Apply</button>
        <button type="button" onClick={add}>
          Add a filter
        </button>
      </div>
      {rows.map((row, index) => (
        <FilterRow
          key={index}
          row={row}
          fields={fields}
          onChange={(changed) => change(index, changed)}
          onRemove={() => remove(index)}
        />
      ))}
    </form>
  );
}

interface RowProps {
  readonly row: Filter;
  readonly fields: readonly Filterable[];
  readonly onChange: (changed: Partial<Filter>) => void;
  readonly onRemove: () => void;
}

function FilterRow({ row, fields, onChange, onRemove }: RowProps): ReactNode {
  const field = fields.find(({ name }) => name === row.field) ?? fields[0];
  const choose = (name: string): void => {
    const next = fields.find((each) => each.name === name);
    const isKept = next?.operators.includes(row.op) === true;
    onChange({ field: name, op: isKept ? row.op : (next?.operators[0] ?? 'eq'), value: '' });
  };
  const isList = ['in', 'nin', 'all'].includes(row.op);
  return (
    <div className="row filter">
      <select aria-label="Field" value={row.field} onChange={({ target }) => choose(target.value)}>
        {fields.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      <select aria-label="Comparison" value={row.op} onChange={({ target }) => onChange({ op: target.value })}>
        {(field?.operators ?? []).map((op) => (
          <option key={op} value={op}>
            {operatorNames[op] ?? op}
          </option>
        ))}
      </select>
      {takesValue(row.op) && field?.options && !isList && (
        <select aria-label="Value" value={row.value} onChange={({ target }) => onChange({ value: target.value })}>
          <option value="">Choose …</option>
          {field.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      {takesValue(row.op) && (!field?.options || isList) && (
        <input
          aria-label="Value"
          type={isList ? 'text' : (field?.input ?? 'text')}
          placeholder={isList ? 'Values, with commas between them' : 'Value'}
          value={row.value}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      )}
      <button
        type="button"
        className="quiet"
        onClick={onRemove}
        aria-label={`Remove the filter on ${field?.label ?? ''}`}
      >
        Remove
      </button>
    </div>
  );
}
