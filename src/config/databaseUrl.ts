// Reads DATABASE_URL. It may name several servers, as PostgreSQL's own clients accept them:
// postgresql://user@a:5432,b:5432/name?target_session_attrs=read-write

/** The components of a URL: the text before the hosts, the hosts, the path and the query. */
const urlShape = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/;

/** The parameter that selects one of several servers. */
const attributes = 'target_session_attrs';
const wantedAttributes = ['any', 'primary', 'read-write'] as const;

/** The servers of a URL. */
export interface Hosts {
  /** A URL for each server, in their order. */
  readonly urls: readonly string[];
  /** Whether only a server that accepts writes is used. */
  readonly writable: boolean;
}

/** Parses a URL of one or more servers; null if it is malformed. */
export function parseHosts(databaseUrl: string): Hosts | null {
  const [, start, list, path = '', query = ''] = urlShape.exec(databaseUrl) ?? [];
  if (start === undefined || list === undefined) return null;
  const parameters = new URLSearchParams(query);
  const names = list.split(',');
  const sessionAttributes = parameters.get(attributes) ?? (names.length > 1 ? 'read-write' : 'any');
  parameters.delete(attributes);
  const rest = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const urls = names.map((name) => `${start}${name}${path}${rest}`);
  if (!wantedAttributes.some((each) => each === sessionAttributes) || !urls.every((url) => URL.canParse(url)))
    return null;
  // Without a host, the parameters name the directory of a socket; several hosts need a name each.
  if (names.length > 1 && names.includes('')) return null;
  return { urls, writable: sessionAttributes !== 'any' };
}

/** Describes the hosts and the database of a URL, without the password. */
export function describeHosts(databaseUrl: string): string {
  const [, , list = '', path = ''] = urlShape.exec(databaseUrl) ?? [];
  return list + path;
}
