// The choice of roles: those that one may not give are disabled, with the rights that one lacks.
import type { ReactNode } from 'react';
import { useMe } from '../api/queries.ts';
import { nameRole, type Role } from './queries.ts';
import { lackedOf } from './rights.ts';

interface Props {
  readonly roles: readonly Role[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

export function RoleChoice({ roles, chosen, onChange }: Props): ReactNode {
  const mine = useMe().data?.rights ?? [];
  return (
    <fieldset>
      <legend>Roles</legend>
      {roles.map((role) => {
        const lacked = lackedOf(role.rights, mine);
        return (
          <label key={role.id}>
            <input
              type="checkbox"
              checked={chosen.includes(role.id)}
              disabled={lacked.length > 0}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, role.id] : chosen.filter((each) => each !== role.id))
              }
            />{' '}
            {nameRole(role)}{' '}
            {lacked.length > 0 && (
              <span className="faint">Only who has all its rights gives it: you lack {lacked.join(', ')}.</span>
            )}
          </label>
        );
      })}
    </fieldset>
  );
}
