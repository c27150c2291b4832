// What a screen says instead of its content: that it loads, that there is nothing, or what went wrong.
import { useEffect, useState, type ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';

export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <p className="notice" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="notice">{children}</div>;
}

interface Failure {
  readonly error: unknown;
  readonly retry?: () => void;
}

/** A problem of the service in its own words; a 429 with the time to wait. */
export function ProblemNotice({ error, retry }: Failure): ReactNode {
  const { status, details, message } = asProblem(error);
  return (
    <div className="notice problem" role="alert">
      <strong>{status === 0 ? details.title : `${details.title} (${status})`}</strong>
      <p>{message}</p>
      {details.errors.length > 0 && (
        <ul>
          {details.errors.map(({ field, message: text }) => (
            <li key={`${field} ${text}`}>
              <code>{field}</code>: {text}
            </li>
          ))}
        </ul>
      )}
      {status === 403 && <p>Another kind of token may be needed. You can sign out and sign in with another one.</p>}
      {retry && <Retry key={message} seconds={details.retryAfter ?? 0} retry={retry} />}
      {details.requestId !== null && (
        <p className="faint">
          Request <code>{details.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** A button that waits for as long as the service asks for. */
function Retry({ seconds, retry }: { readonly seconds: number; readonly retry: () => void }): ReactNode {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <button type="button" onClick={retry} disabled={left > 0}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </button>
  );
}
