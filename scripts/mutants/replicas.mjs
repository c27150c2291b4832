// Faults in what standbys may answer (docs/contract.md §13.7).

const pure = ['test/pure/unit/replicas'];
const real = ['test/postgresql/replicas'];

/** @type {import('./index.d.mts').Mutant[]} */
export const replicaMutants = [
  {
    name: 'replicas: an old proof is as good as a new one',
    in: 'Replicas.mayUse',
    find: 'const oldest = performance.now() - this.#maxLag',
    put: 'const oldest = -Infinity',
    tests: pure,
  },
  {
    name: 'replicas: what this process wrote may be missing',
    in: 'Replicas.mayUse',
    find: 'const writtenAt = this.#writes.get(site) ?? -Infinity',
    put: 'const writtenAt = -Infinity',
    tests: pure,
  },
  {
    name: 'replicas: forgotten writes are forgotten',
    in: 'Replicas.#writes',
    find: "reason === 'evict'",
    put: "reason === 'set'",
    tests: pure,
  },
  {
    name: 'replicas: an entry may be older than what its channel has become',
    in: 'ReplicaReads.noting',
    find: 'Math.max(this.#seenAt ?? this.#tokenSeenAt, firstSeen)',
    put: 'firstSeen > 0 ? -Infinity : this.#tokenSeenAt',
    tests: real,
  },
  {
    name: 'replicas: a standby has what the primary has',
    in: 'Replica.#prove',
    find: 'if (position <= replayed) this.#provenUntil = this.#lastProof = Math.max(this.#provenUntil, askedAt);',
    put: 'this.#provenUntil = this.#lastProof = Math.max(this.#provenUntil, askedAt);',
    tests: real,
  },
  {
    name: 'replicas: whoever asks',
    in: 'chooseReads',
    find: "token.kind !== 'public' || sessionToken !== undefined",
    put: '(sessionToken ?? token.id) === null',
    tests: real,
  },
  {
    name: 'replicas: an idle primary looks like lag',
    in: 'lastRecordEnd',
    find: 'next - segmentHeader',
    put: 'next',
    tests: pure,
  },
];
