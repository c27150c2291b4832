// The site of a drill: a caller of each kind, and entries that they see differently.
import { createSite, runCommand } from '../scratchService.mjs';
import { send } from './writers.mjs';

/** A site with a token of each kind, made by a build (absent: this one). @returns name → headers */
export async function createCallers(env, program) {
  const token = await createSite(env, 'drill', program);
  const email = 'ada@example.com';
  await runCommand(env, ['user', 'create', '--email', email], program);
  await runCommand(env, ['member', 'add', '--site', 'drill', '--user', email], program);
  const user = (await runCommand(env, ['token', 'create', '--kind', 'user', '--user', email], program)).token;
  const bearer = (value, more = {}) => ({ Authorization: `Bearer ${value}`, ...more });
  const open = await token('public');
  const [master, owner] = [bearer(await token('master')), bearer(open)];
  return {
    master,
    owner,
    public: bearer(open),
    user: bearer(user, { 'X-Service-Site': 'drill' }),
    nobody: {},
    mistyped: bearer('ew_public_x'),
  };
}

/** Channels, entries and a customer. @returns the customer's session */
export async function fillSite({ url, token }) {
  const must = async (method, path, body) => {
    const answer = await send(url, token, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const fields = [
    { name: 'title', type: 'STRING' },
    { name: 'body', type: 'TEXT' },
    { name: 'rank', type: 'INTEGER' },
    { name: 'related', type: 'REFERENCE', channel: 'notes' },
  ];
  const graphql = (query, variables) => must('POST', '/graphql', { query, variables });
  const channel = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
  const inputs = [
    {
      id: 'notes',
      publishable: true,
      titleField: 'title',
      fields,
      acl: { read: 'PUBLIC', create: 'SHARED', update: 'PRIVATE', delete: 'PRIVATE' },
    },
    { id: 'hidden', acl: { read: 'NONE' } },
    { id: 'load' },
  ];
  for (const input of inputs) {
    const { data, errors } = await graphql(channel, { input });
    if (errors || data.createChannel === null) throw new Error(JSON.stringify(errors));
  }
  const entries = [
    { slug: 'first', title: 'First', body: 'Many words', rank: 1, _status: 'published' },
    { slug: 'second', title: 'Übersicht: 第二', rank: 2, related: 'first', _status: 'published', _owner: 'bob' },
    { slug: 'third', title: 'Third', rank: 3, _status: 'published', _acl: { 'role:editors': { update: true } } },
    { slug: 'draft', title: 'Draft', rank: 4, _status: 'draft' },
    { slug: 'later', title: 'Later', rank: 5, _status: 'scheduled', _publish_at: '2999-01-01T00:00:00Z' },
    {
      slug: 'private',
      title: 'Private',
      rank: 6,
      _status: 'published',
      _acl: { '*': { read: false }, 'id:bob': { read: true } },
    },
  ];
  for (const entry of entries) await must('POST', '/channels/notes/entries', entry);
  await must('POST', '/customers', { id: 'bob', roles: ['editors'] });
  return (await must('POST', '/customers/bob/sessions', {})).token;
}
