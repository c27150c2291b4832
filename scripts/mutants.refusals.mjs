// The faults that `npm run mutate` plants into guards: one that is left out, or comes at another place among the others
// (docs/contract.md §5.8).

const tests = ['test/once/doors/refusals'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const refusalMutants = [
  {
    name: 'refusals: an address that is refused learns how long its URL may be',
    file: 'src/http/guards.ts',
    find: 'if (request.url.length > limits.url) fail',
    put: 'if (request.url.length > 2 * limits.url) fail',
    tests,
  },
  {
    name: 'refusals: handshakes of WebSockets are answered as other requests',
    file: 'src/app.ts',
    find: '      refuseWebSocket(request);\n',
    put: '',
    tests,
  },
  {
    name: 'refusals: GraphQL does not count requests for their addresses',
    file: 'src/graphql/router.ts',
    find: '      guardRequest(request, response, dependencies);\n',
    put: '',
    tests,
  },
  {
    name: 'refusals: a body is read before its media type is looked at',
    file: 'src/rest/route.ts',
    find: `        requireJson(request);
        await readBody(request, response, bodyTurns(request, response, identity, dependencies));`,
    put: `        await readBody(request, response, bodyTurns(request, response, identity, dependencies));
        requireJson(request);`,
    tests,
  },
  {
    name: 'refusals: an operation is counted once it is known whether its key was used',
    file: 'src/rest/route.ts',
    find: `          await context.admit(operations, 0);
          if (key === undefined) return`,
    put: `          if (key === undefined) await context.admit(operations, 0);
          if (key === undefined) return`,
    tests,
  },
  {
    name: 'refusals: the session is looked at before the token',
    file: 'src/auth/identify.ts',
    find: `  const token = await authenticate(readFilled(headers, 'authorization'), request.network, credentials, now);
  const short = readFilled(headers, 'session-token');
  const long = readFilled(headers, 'x-service-session-token');
  if (short !== undefined && long !== undefined && short !== long) {
    fail('bad_request', 'Session-Token and X-Service-Session-Token name different sessions.');
  }
`,
    put: `  const short = readFilled(headers, 'session-token');
  const long = readFilled(headers, 'x-service-session-token');
  if (short !== undefined && long !== undefined && short !== long) {
    fail('bad_request', 'Session-Token and X-Service-Session-Token name different sessions.');
  }
  const token = await authenticate(readFilled(headers, 'authorization'), request.network, credentials, now);
`,
    tests,
  },
];
