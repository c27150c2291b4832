// The lines that several ladders of refusals share: fault | status | code | what it counts | headers that tell what to do.

/** Before there is a request that a door could see. */
export const wire = `
  line that is no header    | 400 | bad_request | nothing | Connection=close
  headers too large         | 431 | bad_request | nothing | Connection=close
  Host repeated             | 400 | bad_request | nothing | Connection=close
  fragment in the target    | 400 | bad_request | nothing | Connection=close
  WebSocket                 | 400 | bad_request | nothing |
`;

/** The guards of every door for data. */
export const guards = `
  service starting          | 503 | unavailable  | - | Retry-After=1
  URL too long              | 414 | uri_too_long | nothing |
  address spent             | 429 | rate_limited | - | Retry-After=reset RateLimit=address
`;

/** A method that a path of REST lacks: it is counted. */
export const method = (allow: string): string => `
  method                    | 405 | method_not_allowed | address 1 | Allow=${allow} RateLimit=address
`;

const noToken = `
  no token                  | 401 | unauthenticated | address 1 | WWW-Authenticate=Bearer RateLimit=address
`;

export const otherCredentials = `
  mistyped token            | 401 | unauthenticated | address 1 | WWW-Authenticate=invalid_token RateLimit=address
  unknown token             | 401 | unauthenticated | address 1 | WWW-Authenticate=invalid_token RateLimit=address
  expired token             | 401 | unauthenticated | address 1 | WWW-Authenticate=invalid_token RateLimit=address
  two sessions              | 400 | bad_request     | address 1 | RateLimit=address
  mistyped session          | 401 | unauthenticated | address 1 | WWW-Authenticate=Bearer RateLimit=address
  unknown session           | 401 | unauthenticated | address 1 | WWW-Authenticate=Bearer RateLimit=address
`;

export const credentials = noToken + otherCredentials;

/** Whether a body is looked at at all. @param accept what else the refusal tells */
export const mediaType = (accept = ''): string => `
  media type                | 415 | unsupported_media_type | address 1 | ${accept} RateLimit=address
`;

/** From "slow body" on, the body has been read. */
export const body = `
  content coding            | 415 | unsupported_media_type | address 1 | RateLimit=address
  slow body                 | 408 | bad_request            | address 1 | Connection=close
  body too large            | 413 | payload_too_large      | address 1 | RateLimit=address
  body too large in chunks  | 413 | payload_too_large      | address 1 | RateLimit=address
  character set             | 415 | unsupported_media_type | address 1 | RateLimit=address
  empty body                | 400 | bad_request            | address 1 | RateLimit=address
  not UTF-8                 | 400 | bad_request            | address 1 | RateLimit=address
  nested too deep           | 400 | bad_request            | address 1 | RateLimit=address
  malformed JSON            | 400 | bad_request            | address 1 | RateLimit=address
  no JSON object            | 400 | bad_request            | address 1 | RateLimit=address
`;

/** The same where the body may be left out. */
export const optionalBody = body.replace(/ {2}empty body .*\n/, '');

/** A request that is not understood: it counts for its address alone. */
export const misunderstood = (...faults: string[]): string =>
  faults.map((fault) => `  ${fault} | 400 | bad_request | address 1 | RateLimit=address\n`).join('');

export const query = misunderstood(
  'query encoding',
  'token in the URL',
  'repeated parameter',
  'unknown parameter',
  'use_acl',
);

export const storable = misunderstood('NUL', 'half a surrogate pair');

export const site = `
  no site                   | 400 | bad_request | address 1 | RateLimit=address
  another's site            | 403 | forbidden   | address 1 | RateLimit=address
  site of no member         | 403 | forbidden   | address 1 | RateLimit=address
  no host name              | 400 | bad_request | address 1 | RateLimit=address
`;

export const rates = `
  token spent               | 429 | rate_limited | - | Retry-After=reset RateLimit=token
  visitor spent             | 429 | rate_limited | - | Retry-After=reset RateLimit=address
  public token spent        | 429 | rate_limited | - | Retry-After=reset RateLimit=public-token
`;

export const keyReused = `
  key reused                | 422 | validation_failed | address 1 token 1 | RateLimit=token
`;

/** A refusal of an operation that has begun: it counts for the caller. */
export const refused = (fault: string, status: number, code: string): string =>
  `  ${fault} | ${status} | ${code} | address 1 token 1 | RateLimit=token\n`;

/** The same for a visitor. */
export const refusedVisitor = (fault: string, status: number, code: string): string =>
  `  ${fault} | ${status} | ${code} | visitor 1 | RateLimit=address\n`;

const graphqlCodes: Readonly<Record<string, string>> = {
  bad_request: 'BAD_USER_INPUT',
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  method_not_allowed: 'METHOD_NOT_ALLOWED',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  uri_too_long: 'URI_TOO_LONG',
  rate_limited: 'RATE_LIMITED',
  unavailable: 'UNAVAILABLE',
  validation_failed: 'BAD_USER_INPUT',
};

/** The same lines in the form of GraphQL, but for what answers before the door does. */
export function asGraphql(lines: string): string {
  return lines
    .split('\n')
    .map((line) =>
      line.includes('Connection=close')
        ? line
        : line.replace(/(?<=\| )[a-z_]+(?= +\|)/, (code) => graphqlCodes[code] ?? code),
    )
    .join('\n');
}
