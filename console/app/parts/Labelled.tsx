// A form's field with its label, its hint and what is wrong with it.
import { useId, type ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly hint?: string | null | undefined;
  readonly problem?: string | undefined;
  /** Whether the problem is the answer to what somebody did, and is read out. */
  readonly isUrgent?: boolean;
  readonly required?: boolean;
  /** The control has several parts, each with a name of its own. */
  readonly isGroup?: boolean;
  /** Makes the control; the attributes connect it with its label, hint and problem. */
  readonly children: (attributes: ControlAttributes) => ReactNode;
}

export interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

export function Labelled({
  label,
  hint,
  problem,
  isUrgent = false,
  required = false,
  isGroup = false,
  children,
}: Props): ReactNode {
  const id = useId();
  const Name = isGroup ? 'span' : 'label';
  const hasHint = typeof hint === 'string' && hint !== '';
  const described = [hasHint ? `${id}-hint` : '', problem === undefined ? '' : `${id}-problem`].join(' ').trim();
  return (
    <div className="labelled" data-wrong={problem === undefined ? undefined : ''}>
      <Name htmlFor={isGroup ? undefined : id} className="name">
        {label}
        {required && <span className="faint"> (required)</span>}
      </Name>
      {hasHint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': problem !== undefined,
      })}
      {problem !== undefined && (
        <span className="wrong" id={`${id}-problem`} role={isUrgent ? 'alert' : undefined}>
          {problem}
        </span>
      )}
    </div>
  );
}
