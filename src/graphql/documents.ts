// Caches valid documents, so that a repeated one is neither parsed nor validated again; and tells whether a document
// asks for the schema.
import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import { BREAK, Kind, visit, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** The valid documents of a schema, by the hashes of their texts. */
export interface KnownDocuments {
  readonly get: (hash: string) => DocumentNode | undefined;
  /** Keeps a document, at least for its own request. */
  readonly keep: (hash: string, document: DocumentNode) => void;
}

/**
 * The size of the cache, in characters of the documents: in memory a document takes over a hundred times as much.
 * Apollo's own store would keep 30 MB of them as JSON, and so several hundred in memory.
 */
const maxDocuments = 262_144;

/** The documents of one schema, or of several that share the bound. */
export class DocumentCache {
  readonly #documents: LRUCache<string, DocumentNode>;

  /** @param maxLength the longest document to keep, in characters: each is kept, until others take its place */
  constructor(maxLength: number) {
    this.#documents = new LRUCache<string, DocumentNode>({
      maxSize: Math.max(maxDocuments, maxLength),
      sizeCalculation: ({ loc }) => Math.max(loc?.source.body.length ?? 0, 1),
    });
  }

  /** The documents that are valid in one schema. @param schema names it among those that share the bound */
  of(schema: string): KnownDocuments {
    const documents = this.#documents;
    return {
      get: (hash) => documents.get(schema + hash),
      keep: (hash, document) => {
        documents.set(schema + hash, document);
      },
    };
  }

  /** Drops the documents of a schema. */
  drop(schema: string): void {
    for (const key of this.#documents.keys()) if (key.startsWith(schema)) this.#documents.delete(key);
  }
}

type DocumentStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/** Stands for a refused document, so that Apollo Server neither parses nor validates it. */
const noDocument: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** The length of a hash, SHA-256 in hexadecimal digits. */
const hashLength = 64;

/** The documents as Apollo Server takes them: it gets each prepared one from here, and itself reads none. */
export function storeOf({ get }: KnownDocuments): DocumentStore {
  return {
    // Its keys begin with a name of the schema.
    get: (key) => Promise.resolve(get(key.slice(-hashLength)) ?? noDocument),
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
}

/** The result for each document, so that a document is searched only once. */
const introspecting = new WeakMap<DocumentNode, boolean>();

/** Whether a document asks for a part of the schema. */
export function introspects(document: DocumentNode): boolean {
  const known = introspecting.get(document);
  if (known !== undefined) return known;
  let found = false;
  visit(document, {
    Field: ({ name: { value } }) => {
      if (value === '__schema' || value === '__type') found = true;
      return found ? BREAK : undefined;
    },
  });
  introspecting.set(document, found);
  return found;
}
