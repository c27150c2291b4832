// The workers of the editors: those that GraphiQL uses, of all that Monaco has.
import type {} from 'monaco-editor';
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

const workers: Readonly<Record<string, new () => Worker>> = { json: JsonWorker, graphql: GraphqlWorker };

window.MonacoEnvironment = {
  getWorker: (_id, label) => new (workers[label] ?? EditorWorker)(),
};
