// What we use of the libraries that Express reads requests with, which ship no types.
declare module 'accepts' {
  import type { IncomingMessage } from 'node:http';
  /** What the headers Accept and Accept-Encoding of a request ask for. */
  export default function accepts(request: IncomingMessage): {
    /** The one of these media types that it prefers; false if it takes none. */
    type(types: readonly string[]): string | false;
    /** The one of these encodings that its Accept-Encoding prefers; false if it takes none. */
    encodings(encodings: readonly string[]): string | false;
  };
}

declare module 'parseurl' {
  import type { IncomingMessage } from 'node:http';
  /** The parts of a request's URL; kept with the request. */
  export default function parseurl(request: IncomingMessage): { readonly pathname: string | null } | undefined;
}

declare module 'proxy-addr' {
  import type { IncomingMessage } from 'node:http';
  /** Whether an address is a trusted proxy's. @param hop how many proxies are between it and here */
  export type Trust = (address: string | undefined, hop: number) => boolean;
  /** The address of the client: the last one in X-Forwarded-For that is not that of a trusted proxy. */
  function proxyAddr(request: IncomingMessage, trust: Trust): string | undefined;
  namespace proxyAddr {
    /** @throws TypeError if one is not an address or a network */
    function compile(trusted: readonly string[]): Trust;
  }
  export default proxyAddr;
}
