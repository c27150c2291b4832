// The faults that `npm run mutate` plants: each a small edit of src/, console/, clients/ or a function of the database that breaks a
// promise, and the tests that must see it. index.d.mts says how a fault names its place. `ci` marks the handful that each build plants.
import { auditMutants } from './audit.mjs';
import { callerMutants } from './callers.mjs';
import { changeMutants } from './changes.mjs';
import { clusterMutants } from './cluster.mjs';
import { consoleMutants } from './console.mjs';
import { documentMutants } from './documents.mjs';
import { entryMutants } from './entries.mjs';
import { fieldMutants } from './fields.mjs';
import { guardMutants } from './guards.mjs';
import { httpMutants } from './http.mjs';
import { importMutants } from './imports.mjs';
import { openapiMutants } from './openapi.mjs';
import { operationMutants } from './operations.mjs';
import { pageMutants } from './pages.mjs';
import { previewMutants } from './previews.mjs';
import { queryMutants } from './queries.mjs';
import { rateMutants } from './rates.mjs';
import { refusalMutants } from './refusals.mjs';
import { replicaMutants } from './replicas.mjs';
import { rightMutants } from './rights.mjs';
import { scopeMutants } from './scopes.mjs';
import { ruleMutants } from './rules.mjs';
import { searchMutants } from './search.mjs';
import { shareMutants } from './shares.mjs';
import { providerMutants } from './providers.mjs';
import { signInMutants } from './signIns.mjs';
import { startingMutants } from './starting.mjs';
import { streamMutants } from './streams.mjs';

/** @type {import('./index.d.mts').Mutant[]} */
export const mutants = [
  ...ruleMutants,
  ...rightMutants,
  ...scopeMutants,
  ...fieldMutants,
  ...entryMutants,
  ...callerMutants,
  ...guardMutants,
  ...queryMutants,
  ...previewMutants,
  ...importMutants,
  ...changeMutants,
  ...clusterMutants,
  ...auditMutants,
  ...rateMutants,
  ...refusalMutants,
  ...replicaMutants,
  ...operationMutants,
  ...searchMutants,
  ...shareMutants,
  ...documentMutants,
  ...streamMutants,
  ...openapiMutants,
  ...pageMutants,
  ...providerMutants,
  ...signInMutants,
  ...startingMutants,
  ...httpMutants,
  ...consoleMutants,
];
