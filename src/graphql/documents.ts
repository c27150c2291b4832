// The valid documents that are kept, so that one that is sent again is neither parsed nor validated again; and whether a document
// asks for the schema.
import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import { BREAK, visit, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

export type DocumentStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/**
 * Valid documents that are kept, in characters of their text: in memory a document takes over a hundred times as much. Apollo's
 * own store would keep 30 MB of them as JSON, and so several hundred in memory.
 */
const maxDocuments = 262_144;

/** The documents of one schema, or of several that share the bound. */
export class DocumentCache {
  readonly #documents = new LRUCache<string, DocumentNode>({
    maxSize: maxDocuments,
    sizeCalculation: ({ loc }) => Math.max(loc?.source.body.length ?? 0, 1),
  });

  /** The store of the documents that are valid in one schema. @param schema names it among those that share the bound */
  of(schema: string): DocumentStore {
    const documents = this.#documents;
    return {
      get: (key) => Promise.resolve(documents.get(schema + key)),
      set: (key, document) => {
        documents.set(schema + key, document);
        return Promise.resolve();
      },
      delete: (key) => Promise.resolve(documents.delete(schema + key)),
    };
  }

  /** Drops the documents of a schema. */
  drop(schema: string): void {
    for (const key of this.#documents.keys()) if (key.startsWith(schema)) this.#documents.delete(key);
  }
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
