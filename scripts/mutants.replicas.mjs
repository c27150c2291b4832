// Faults in what standbys may answer (docs/contract.md §13.7).

const pure = ['test/pure/unit/replicas'];
const real = ['test/postgresql/replicas'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const replicaMutants = [
  {
    name: 'replicas: an old proof is as good as a new one',
    file: 'src/database/replicas/replicas.ts',
    find: 'const oldest = performance.now() - this.#maxLag;',
    put: 'const oldest = -Infinity;',
    tests: pure,
  },
  {
    name: 'replicas: what this process wrote may be missing',
    file: 'src/database/replicas/replicas.ts',
    find: 'const writtenAt = this.#writes.get(site) ?? -Infinity;',
    put: 'const writtenAt = -Infinity;',
    tests: pure,
  },
  {
    name: 'replicas: forgotten writes are forgotten',
    file: 'src/database/replicas/replicas.ts',
    find: "if (reason === 'evict') ",
    put: "if (reason === 'set') ",
    tests: pure,
  },
  {
    name: 'replicas: an entry may be older than what its channel has become',
    file: 'src/database/replicas/replicaReads.ts',
    find: 'this.#seenAt = Math.max(this.#seenAt ?? this.#tokenSeenAt, firstSeen);',
    put: 'this.#seenAt = firstSeen > 0 ? -Infinity : this.#tokenSeenAt;',
    tests: real,
  },
  {
    name: 'replicas: a standby has what the primary has',
    file: 'src/database/replicas/replica.ts',
    find: 'if (position <= replayed) this',
    put: 'this',
    tests: real,
  },
  {
    name: 'replicas: whoever asks',
    file: 'src/resolvers/replicaClient.ts',
    find: "if (replicas === null || token.kind !== 'public' || sessionToken !== undefined) return { directory };",
    put: 'if (replicas === null || (sessionToken ?? token.id) === null) return { directory };',
    tests: real,
  },
  {
    name: 'replicas: an idle primary looks like lag',
    file: 'src/database/replicas/walPositions.ts',
    find: 'return next - segmentHeader;',
    put: 'return next;',
    tests: pure,
  },
];
