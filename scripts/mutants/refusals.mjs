// The faults that `npm run mutate` plants into guards: one that is left out, or comes at another place among the others
// (docs/contract.md §5.8).

const tests = ['test/once/doors/refusals'];

/** @type {import('./index.d.mts').Mutant[]} */
export const refusalMutants = [
  {
    name: 'refusals: an address that is refused learns how long its URL may be',
    in: 'receive',
    find: 'request.url.length > limits.url',
    put: 'request.url.length > 2 * limits.url',
    tests,
  },
  {
    name: 'refusals: handshakes of WebSockets are answered as other requests',
    in: 'createBegin',
    find: 'if (upgrade !== undefined) refuseWebSocket(upgrade);',
    put: '',
    tests,
  },
  {
    name: 'refusals: GraphQL does not count requests for their addresses',
    in: 'addGraphql',
    find: 'receive(request, response, dependencies);',
    put: '',
    tests,
  },
  {
    name: 'refusals: a body is read before its media type is looked at',
    in: 'route.ts:createHandler',
    find: `      requireJson(request);
      await readBody(request, response, admission);`,
    put: `      await readBody(request, response, admission);
      requireJson(request);`,
    tests,
  },
  {
    name: 'refusals: an operation is counted once it is known whether its key was used',
    in: 'ladder.ts:admit',
    find: 'andThen(admission.admit(operations, 0), () => context)',
    put: "request.headers['idempotency-key'] === undefined ? andThen(admission.admit(operations, 0), () => context) : context",
    tests,
  },
  {
    name: 'refusals: the session is looked at before the token',
    in: 'identify',
    find: "const authorization = readFilled(headers, 'authorization');",
    put: `const sent = ['session-token', 'x-service-session-token'].map((name) => readFilled(headers, name));
  if (sent[0] !== undefined && sent[1] !== undefined && sent[0] !== sent[1]) fail('bad_request', 'Two sessions.');
  const authorization = readFilled(headers, 'authorization');`,
    tests,
  },
];
