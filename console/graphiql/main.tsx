// GraphiQL for this service (docs/contract.md §20): the documentation of the schema needs no token, and nothing that is entered
// is kept longer than the tab.
import './workers.ts';
import { GraphiQL } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSettled, readCredential } from '../shared/credentials.ts';
import { addCredentialsForm } from '../shared/credentialsForm.ts';
import { followDoor, leadToSandbox, type Door } from './doors.ts';
import { createFetcher } from './fetcher.ts';
import { loadSiteSchema, staticSchema } from './schemas.ts';

const firstQueries: Readonly<Record<Door, string>> = {
  graphql: `# Enter a token above, then press Ctrl-Enter.
# The book at the left has the documentation.
query Channels {
  channels {
    id
    name
  }
}
`,
  'graphql/site': `# The types of this schema are made
# of the channels of your site.
query Channels {
  channels {
    id
    name
  }
}
`,
};

/** What GraphiQL keeps of its editors: each schema has editors of its own. */
const editorKeys = new Set(['tabState', 'query', 'variables', 'headers', 'operationName']);

/** What GraphiQL remembers: in the tab, because its queries and headers may hold secrets. */
function createStorage(door: Door): Storage {
  const place = (key: string): string => {
    const [, name = ''] = key.split(':');
    return door === 'graphql/site' && editorKeys.has(name) ? `${key}:site` : key;
  };
  return {
    getItem: (key) => sessionStorage.getItem(place(key)),
    setItem: (key, value) => sessionStorage.setItem(place(key), value),
    removeItem: (key) => sessionStorage.removeItem(place(key)),
    get length() {
      return sessionStorage.length;
    },
    clear: () => undefined,
    key: () => null,
  };
}

const storages: Readonly<Record<Door, Storage>> = {
  graphql: createStorage('graphql'),
  'graphql/site': createStorage('graphql/site'),
};
const fetchers = { graphql: createFetcher('graphql'), 'graphql/site': createFetcher('graphql/site') } as const;

function Page({ door }: { readonly door: Door }): ReactNode {
  const siteSchema = useSiteSchema(door);
  return (
    <GraphiQL
      key={door}
      fetcher={fetchers[door]}
      schema={door === 'graphql' ? staticSchema : siteSchema}
      storage={storages[door]}
      defaultQuery={firstQueries[door]}
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
    />
  );
}

/** The schema of the site that the token leads to. While it is not known, GraphiQL works without one, and a line says why. */
function useSiteSchema(door: Door): GraphQLSchema | null {
  const [known, setKnown] = useState<GraphQLSchema | null>(null);
  useEffect(() => {
    tell('');
    if (door === 'graphql') return;
    let asked = 0;
    const load = (): void => {
      asked += 1;
      const mine = asked;
      setKnown(null);
      if (readCredential('token') === '') {
        tell('Each site has a schema of its own, made of its channels: enter a token above.');
        return;
      }
      loadSiteSchema().then(
        (schema) => {
          if (mine !== asked) return;
          setKnown(schema);
          tell('');
        },
        (error: unknown) => {
          if (mine === asked) tell(`No schema at /${door}: ${error instanceof Error ? error.message : String(error)}`);
        },
      );
    };
    load();
    const end = onSettled(load);
    return () => {
      asked = Number.NaN;
      end();
    };
  }, [door]);
  return known;
}

function tell(text: string): void {
  const notice = document.getElementById('notice');
  if (notice) notice.textContent = text;
}

function start(): void {
  const credentials = document.getElementById('credentials');
  const place = document.getElementById('graphiql');
  const sandbox = document.getElementById('sandbox');
  if (!credentials || !place || !(sandbox instanceof HTMLAnchorElement)) return;
  addCredentialsForm(credentials);
  leadToSandbox(sandbox);
  const root = createRoot(place);
  followDoor((door) => root.render(<Page door={door} />));
}

start();
