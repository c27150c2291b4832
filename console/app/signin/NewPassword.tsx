// A password that is chosen.
import type { ReactNode } from 'react';
import type { FieldProblem } from '../../../clients/typescript/src/problem.ts';
import { Labelled } from '../parts/Labelled.tsx';
import { PasswordInput } from './PasswordInput.tsx';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What the service says of it. */
  readonly faults: readonly FieldProblem[];
}

export function NewPassword({ label, value, onChange, faults }: Props): ReactNode {
  const fault = faults.find(({ field }) => field === 'password');
  return (
    <Labelled
      label={label}
      hint="12 to 256 characters. A sentence that only you would say is a good one."
      problem={fault && `It ${fault.message}.`}
      isUrgent
    >
      {(attributes) => <PasswordInput {...attributes} autoComplete="new-password" value={value} onChange={onChange} />}
    </Labelled>
  );
}
