// A list of sessions or of access tokens, each of which can be revoked.
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, useState, type ReactNode } from 'react';
import type { Credential } from '../api/types.ts';
import { Confirm } from '../parts/Confirm.tsx';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';

interface Props<One extends Credential> {
  readonly what: 'session' | 'token';
  readonly list: UseQueryResult<readonly One[]>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly onRemoved: () => void;
  /** How one is called; absent: by its id. */
  readonly name?: (one: One) => string;
}

export function Credentials<One extends Credential>({ what, list, remove, onRemoved, name }: Props<One>): ReactNode {
  const [asked, setAsked] = useState<One | null>(null);
  const { data, error, refetch } = list;
  const nameOne = name ?? (({ id }: One) => id);
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what={`${what}s`} />;
  if (data.length === 0) return <Empty>There are no {what}s.</Empty>;
  return (
    <>
      <table className="cards">
        <caption className="unseen">{what}s</caption>
        <thead>
          <tr>
            {['Name', 'Created', 'Last used', 'State', ''].map((heading) => (
              <th key={heading} scope="col">
                {heading === '' ? <span className="unseen">Revoke</span> : heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map((one) => (
            <tr key={one.id}>
              <td data-label="Name">
                {nameOne(one)}
                {one.scopes && <Scopes scopes={one.scopes} />}
              </td>
              <td data-label="Created">{showTime(one.created_at)}</td>
              <td data-label="Last used">{one.last_used_at === null ? 'never' : showTime(one.last_used_at)}</td>
              <td data-label="State">{nameState(one)}</td>
              <td>
                {isActive(one) && (
                  <button type="button" className="danger" onClick={() => setAsked(one)}>
                    Revoke <span className="unseen">{nameOne(one)}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked && (
        <Confirm
          title={`Revoke the ${what}?`}
          action="Revoke"
          run={() => remove(asked.id)}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            onRemoved();
          }}
        >
          <p>“{nameOne(asked)}” does not work any more within a second. That cannot be taken back.</p>
        </Confirm>
      )}
    </>
  );
}

function Scopes({ scopes }: { readonly scopes: readonly string[] }): ReactNode {
  return (
    <p className="faint">
      {scopes.length === 0 ? 'No scope: it may do nothing.' : 'Only '}
      {scopes.map((scope, at) => (
        <Fragment key={scope}>
          {at > 0 && ', '}
          <code>{scope}</code>
        </Fragment>
      ))}
    </p>
  );
}

function isActive({ revoked_at: revoked, expires_at: expires }: Credential): boolean {
  return revoked === null && (expires === null || Date.parse(expires) > Date.now());
}

function nameState(one: Credential): string {
  if (one.revoked_at !== null) return `revoked ${showTime(one.revoked_at)}`;
  if (one.expires_at === null) return 'active';
  return isActive(one) ? `active until ${showTime(one.expires_at)}` : `expired ${showTime(one.expires_at)}`;
}
