// GraphiQL for this service (docs/contract.md §14): the documentation of the schema needs no token, and nothing that is entered
// is kept longer than the tab.
import './workers.ts';
import { GraphiQL } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { headerNames, onSettled } from '../shared/credentials.ts';
import { addCredentialsForm } from '../shared/credentialsForm.ts';
import { createFetcher } from './fetcher.ts';
import { loadSchema, staticSchema } from './schemas.ts';

const staticDoor = 'graphql';
const firstQuery = `# Enter a token above, then press Ctrl-Enter. The book at the left has the documentation.
query Channels {
  channels {
    id
    name
  }
}
`;

/** What GraphiQL remembers: in the tab, because its queries and headers may hold secrets. */
const storage = {
  getItem: (key: string) => sessionStorage.getItem(key),
  setItem: (key: string, value: string) => sessionStorage.setItem(key, value),
  removeItem: (key: string) => sessionStorage.removeItem(key),
  get length() {
    return sessionStorage.length;
  },
  clear: () => undefined,
};

function Page({ door }: { readonly door: string }): ReactNode {
  const schema = useSchema(door);
  return (
    <GraphiQL
      fetcher={createFetcher(door)}
      schema={schema}
      storage={storage}
      defaultQuery={firstQuery}
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
    />
  );
}

/** The schema behind a path. While it is not known, or if there is none, GraphiQL works without one, and a line says why. */
function useSchema(door: string): GraphQLSchema | null {
  const [known, setKnown] = useState<GraphQLSchema | null>(null);
  useEffect(() => {
    if (door === staticDoor) {
      tell('');
      return;
    }
    let isCurrent = true;
    const load = (): void => {
      setKnown(null);
      loadSchema(door).then(
        (schema) => {
          if (!isCurrent) return;
          setKnown(schema);
          tell('');
        },
        (error: unknown) => {
          if (isCurrent) tell(`No schema at /${door}: ${error instanceof Error ? error.message : String(error)}`);
        },
      );
    };
    load();
    const end = onSettled(load);
    return () => {
      isCurrent = false;
      end();
    };
  }, [door]);
  return door === staticDoor ? staticSchema : known;
}

function tell(text: string): void {
  const notice = document.getElementById('notice');
  if (notice) notice.textContent = text;
}

/** Where Apollo Sandbox opens with this service's address, and the names of its headers. */
function sandboxAddress(door: string): string {
  const address = new URL('https://studio.apollographql.com/sandbox/explorer');
  address.searchParams.set('endpoint', new URL(door, document.baseURI).href);
  address.searchParams.set('headers', JSON.stringify(Object.fromEntries(headerNames.map((name) => [name, '']))));
  return address.href;
}

function start(): void {
  const credentials = document.getElementById('credentials');
  const place = document.getElementById('graphiql');
  const select = document.getElementById('door');
  const sandbox = document.getElementById('sandbox');
  if (!credentials || !place || !(select instanceof HTMLSelectElement) || !(sandbox instanceof HTMLAnchorElement))
    return;
  addCredentialsForm(credentials);
  const root = createRoot(place);
  const show = (): void => {
    sandbox.href = sandboxAddress(select.value);
    root.render(<Page door={select.value} />);
  };
  select.addEventListener('change', show);
  show();
}

start();
