// The fields that a channel declares.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Channel, Field } from '../api/types.ts';
import { Empty } from '../parts/Notice.tsx';

export function FieldTable({ channel }: { readonly channel: Channel }): ReactNode {
  if (channel.fields.length === 0) {
    return <Empty>This channel declares no fields: its entries may hold any members.</Empty>;
  }
  return (
    <table className="cards">
      <caption>
        {channel.fields.length} fields. The title of an entry is its <code>{channel.title_field}</code>.
      </caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Rules</th>
          <th scope="col">Hint</th>
        </tr>
      </thead>
      <tbody>
        {channel.fields.map((field) => (
          <tr key={field.name}>
            <td data-label="Field">
              {field.label ?? field.name} <code>{field.name}</code>
            </td>
            <td data-label="Type">
              {field.type}
              {field.channel !== null && (
                <>
                  {' '}
                  to <Link href={`/channels/${encodeURIComponent(field.channel)}`}>{field.channel}</Link>
                </>
              )}
            </td>
            <td data-label="Rules">{nameRules(field)}</td>
            <td data-label="Hint">{field.hint}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameRules({ required, unique, indexed, min, max, pattern, message, options, read, write }: Field): string {
  const rules = [
    ...(required ? ['required'] : []),
    ...(unique ? ['unique'] : []),
    ...(indexed ? ['indexed'] : []),
    ...(min === null ? [] : [`at least ${min}`]),
    ...(max === null ? [] : [`at most ${max}`]),
    ...(pattern === null ? [] : [`matches ${pattern}${message === null ? '' : ` (“${message}”)`}`]),
    ...(options === null ? [] : [`one of ${options.join(', ')}`]),
    ...nameActors('read', read),
    ...nameActors('written', write),
  ];
  return rules.join('; ');
}

/** Says who may read or write a field with a rule. */
function nameActors(done: string, keys: readonly string[] | null | undefined): readonly string[] {
  if (keys === null || keys === undefined) return [];
  return [`${done} by ${keys.length === 0 ? 'nobody' : keys.join(', ')}`];
}
