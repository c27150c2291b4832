// What a screen says instead of its content: that it loads, that there is nothing, or what went wrong.
import { useEffect, useState, type ReactNode } from 'react';
import { asProblem, type Problem } from '../api/problem.ts';
import { useConnected } from '../live/connection.ts';

export function Loading({ what }: { readonly what: string }): ReactNode {
  const isConnected = useConnected();
  return (
    <p className="notice" role="status">
      {isConnected ? `Loading ${what} …` : `There is no connection. Loading ${what} when it is back …`}
    </p>
  );
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="notice">{children}</div>;
}

interface Failure {
  readonly error: unknown;
  readonly retry?: () => void;
  /** What is said first; absent: the title of the problem. */
  readonly heading?: string;
  /** Whether the heading is enough, because the rest is said elsewhere on the screen. */
  readonly isBrief?: boolean;
  readonly children?: ReactNode;
}

/** A problem of the service in its own words; a 429 with the time to wait. */
export function ProblemNotice({ error, retry, heading, isBrief = false, children }: Failure): ReactNode {
  const { status, details, message } = asProblem(error);
  const title = heading ?? (status === 0 ? details.title : `${details.title} (${status})`);
  return (
    <div className="notice problem" role="alert">
      <strong>{title}</strong> {children}
      {!isBrief && <Details problem={asProblem(error)} />}
      {retry && <Retry key={message} seconds={details.retryAfter ?? 0} retry={retry} />}
    </div>
  );
}

/** The rest of a problem: its sentence, the fields that it names, and the id of the request. */
function Details({ problem: { status, details, message } }: { readonly problem: Problem }): ReactNode {
  return (
    <>
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
      {details.missing !== null && (
        <p>
          What is missing is the right <code>{details.missing}</code>. Whoever manages the members of this site gives
          it.
        </p>
      )}
      {status === 403 && details.missing === null && (
        <p>Another kind of token may be needed. You can sign out and sign in with another one.</p>
      )}
      {details.requestId !== null && (
        <p className="faint">
          Request <code>{details.requestId}</code>
        </p>
      )}
    </>
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
