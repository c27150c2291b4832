// What an error tells, made fit to be shown and passed on.
import { withoutTokens } from '../auth/token.ts';

/** The same, without any token: an error may name what was sent, and a token may have been sent anywhere. */
export function discreet<Value>(error: Value): Value {
  const text = JSON.stringify(error, (_name, value: unknown) =>
    typeof value === 'string' ? withoutTokens(value) : value,
  );
  return JSON.parse(text) as Value;
}
