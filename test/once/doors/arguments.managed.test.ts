// What is hidden answers like what is absent, as in arguments.hidden.test.ts: by arguments that name a site, a customer,
// a session, a token, an actor, or what is to be made.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { expectAlike, graphql, rest, type Ask } from '../../support/alike.ts';
import { buildEntry, buildToken, buildUser } from '../../support/build.ts';
import { argumentTable } from './arguments.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();

const tried = new Set<string>();
type Requests = Readonly<Record<string, (name: string) => Ask>>;

const onCustomer: Requests = {
  'path :customer': (id) => rest('GET', `/customers/${id}`),
  'path :customer, changed': (id) => rest('PATCH', `/customers/${id}`, { body: { name: 'x' } }),
  'path :customer, sessions': (id) => rest('GET', `/customers/${id}/sessions`),
  'path :customer, signed in': (id) => rest('POST', `/customers/${id}/sessions`),
  'Query.customer(id)': (id) => graphql(`{ customer(id: "${id}") { id roles } }`),
  'Query.sessions(customer)': (id) => graphql(`{ sessions(customer: "${id}") { id } }`),
  'Mutation.updateCustomer(id)': (id) =>
    graphql(`mutation { updateCustomer(id: "${id}", input: { name: "x" }) { id } }`),
  'Mutation.createSession(customer)': (id) => graphql(`mutation { createSession(customer: "${id}") { token } }`),
};

describe.each(Object.entries(onCustomer))('a customer, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test('a customer of another site answers a master token like a missing one', async () => {
    for (const kind of ['master', 'master/acl']) {
      await expectAlike(sites.ask(kind), naming, sites.there.ownCustomer.id, 'customer-nowhere');
    }
  });
  test('a customer of the site answers callers that may not manage customers like a missing one', async () => {
    for (const kind of ['public', 'public+ada', 'user', 'user+ada']) {
      await expectAlike(sites.ask(kind), naming, sites.here.ownCustomer.id, 'customer-nowhere');
      // Not even one's own.
      await expectAlike(sites.ask(kind), naming, 'ada', 'eve');
    }
  });
});

const asCustomer: Requests = {
  'query ?as': (id) => rest('GET', `/channels/articles/entries?as=customer:${id}`),
  'query ?as, counted': (id) => rest('GET', `/channels/articles/entries/count?as=customer:${id}`),
  'query ?as, fetched': (id) => rest('GET', `/channels/articles/entries/open?as=customer:${id}`),
  'query ?as, explained': (id) => rest('GET', `/channels/articles/entries/open/access?as=customer:${id}`),
  'ActorInput.customer': (id) =>
    graphql(`{ entries(channel: "articles", as: { customer: "${id}" }) { nodes { slug } } }`),
  'ActorInput.customer, explained': (id) =>
    graphql(`{ accessExplanation(channel: "articles", id: "open", as: { customer: "${id}" }) { read { allowed } } }`),
};

describe.each(Object.entries(asCustomer))('as a customer, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test('a preview as a customer of another site is refused like one as a missing customer', async () => {
    for (const kind of ['master', 'master/acl', 'user', 'user+ada']) {
      await expectAlike(sites.ask(kind), naming, sites.there.ownCustomer.id, 'customer-nowhere');
    }
  });
  test('a preview by a public token is refused alike for a customer of the site and a missing one', async () => {
    for (const kind of ['public', 'public+ada']) {
      const { status, text } = await expectAlike(
        sites.ask(kind),
        naming,
        sites.here.ownCustomer.id,
        'customer-nowhere',
      );
      expect([kind, status === 403 || text.includes('FORBIDDEN')]).toEqual([kind, true]);
    }
  });
});

const asMember: Requests = {
  'ActorInput.member': (id) => graphql(`{ entries(channel: "articles", as: { member: "${id}" }) { nodes { slug } } }`),
  'ActorInput.member, explained': (id) =>
    graphql(`{ accessExplanation(channel: "articles", id: "open", as: { member: "${id}" }) { read { allowed } } }`),
  'ActorInput.member, in REST': (id) => rest('GET', `/channels/articles/entries?as=member:${id}`),
};

describe.each(Object.entries(asMember))('as a member, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test('a preview as a member of another site is refused like one as nobody, and one by a public token alike for a member of the site', async () => {
    const { prisma } = app.database;
    const [there, here] = [
      await buildUser(prisma, { memberOf: [sites.there.site.id] }),
      await buildUser(prisma, { memberOf: [sites.here.site.id] }),
    ];
    for (const kind of ['master', 'master/acl', 'user', 'user+ada'])
      await expectAlike(sites.ask(kind), naming, there.id, randomUUID());
    for (const kind of ['public', 'public+ada']) await expectAlike(sites.ask(kind), naming, here.id, randomUUID());
  });
});

const onMember: Requests = {
  'path :user': (id) => rest('GET', `/members/${id}`),
  'path :user, changed': (id) => rest('PATCH', `/members/${id}`, { body: { roles: [] } }),
  'path :user, removed': (id) => rest('DELETE', `/members/${id}`),
  'Mutation.updateMember(user)': (id) => graphql(`mutation { updateMember(user: "${id}", roles: []) { user } }`),
  'Mutation.removeMember(user)': (id) => graphql(`mutation { removeMember(user: "${id}") }`),
};

describe.each(Object.entries(onMember))('a member, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test('a member of another site answers every caller like nobody', async () => {
    for (const kind of ['master', 'master/acl', 'user', 'user+ada', 'public', 'public+ada']) {
      await expectAlike(sites.ask(kind), naming, sites.there.member, randomUUID());
    }
  });
});

const onRole: Requests = {
  'path :role': (id) => rest('GET', `/roles/${id}`),
  'path :role, changed': (id) => rest('PATCH', `/roles/${id}`, { body: { rights: [] } }),
  'path :role, deleted': (id) => rest('DELETE', `/roles/${id}?confirm=${id}`),
  'Mutation.updateRole(id)': (id) => graphql(`mutation { updateRole(id: "${id}", input: { rights: [] }) { id } }`),
  'Mutation.deleteRole(id)': (id) => graphql(`mutation { deleteRole(id: "${id}", confirm: "${id}") }`),
  'Mutation.deleteRole(confirm)': (id) => graphql(`mutation { deleteRole(id: "${id}", confirm: "${id}") }`),
  'Mutation.updateMember(roles)': (id) =>
    graphql(`mutation { updateMember(user: "${sites.here.member}", roles: ["${id}"]) { user } }`),
  'InvitationInput.roles': (id) =>
    graphql(`mutation { inviteMember(input: { email: "guest@example.com", roles: ["${id}"] }) { email } }`),
};

const onInvitation: Requests = {
  'path :invitation': (id) => rest('GET', `/invitations/${id}`),
  'path :invitation, revoked': (id) => rest('DELETE', `/invitations/${id}`),
  'Mutation.revokeInvitation(id)': (id) => graphql(`mutation { revokeInvitation(id: "${id}") }`),
};

describe.each(Object.entries(onInvitation))('an invitation, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test('an invitation of another site answers a master token like a missing one, and one of the site others', async () => {
    for (const kind of ['master', 'master/acl']) {
      await expectAlike(sites.ask(kind), naming, sites.there.invitation, randomUUID());
    }
    for (const kind of ['user', 'user+ada', 'public', 'public+ada']) {
      await expectAlike(sites.ask(kind), naming, sites.here.invitation, randomUUID());
    }
  });
});

describe.each(Object.entries(onRole))('a role, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test('a role of another site answers a master token like a missing one, and one of the site others', async () => {
    for (const kind of ['master', 'master/acl']) {
      await expectAlike(sites.ask(kind), naming, sites.there.role, 'role-where');
    }
    for (const kind of ['user', 'user+ada', 'public', 'public+ada']) {
      await expectAlike(sites.ask(kind), naming, sites.here.role, 'role-where');
    }
  });
});

const byId: Requests = {
  'path :session': (id) => rest('DELETE', `/sessions/${id}`),
  'path :token': (id) => rest('DELETE', `/tokens/${id}`),
  'Mutation.revokeSession(id)': (id) => graphql(`mutation { revokeSession(id: "${id}") }`),
  'Mutation.revokeToken(id)': (id) => graphql(`mutation { revokeToken(id: "${id}") }`),
};

describe.each(Object.entries(byId))('by its id, %s', (argument, naming) => {
  tried.add(argument);
  test('a session or token of another site or of a user answers a master token like a missing one, and one of the site others', async () => {
    const { prisma } = app.database;
    const user = await buildUser(prisma, { memberOf: [sites.here.site.id] });
    for (const id of [sites.there.ownCustomer.sessionId, sites.there.tokenId, user.id]) {
      await expectAlike(sites.ask('master'), naming, id, randomUUID());
    }
    const ofUser = await buildToken(prisma, { kind: 'user', userId: user.id });
    await expectAlike(sites.ask('master'), naming, ofUser.id, randomUUID());
    expect(
      (await as(app, { ...ofUser, site: sites.here.site.id }).rest('GET', '/channels/articles/entries')).status,
    ).toBe(200);
    for (const kind of ['public', 'user+ada']) {
      for (const id of [sites.here.ownCustomer.sessionId, sites.here.tokenId]) {
        await expectAlike(sites.ask(kind), naming, id, randomUUID());
      }
    }
  });
});

const onWebhook: Requests = {
  'path :webhook': (id) => rest('GET', `/webhooks/${id}`),
  'path :webhook, deliveries': (id) => rest('GET', `/webhooks/${id}/deliveries`),
  'path :delivery': (id) => rest('POST', `/webhooks/${id}/deliveries/${id}/redeliver`),
  'Query.webhookDeliveries(webhook)': (id) => graphql(`{ webhookDeliveries(webhook: "${id}") { totalCount } }`),
  'Mutation.updateWebhook(id)': (id) => graphql(`mutation { updateWebhook(id: "${id}", input: {}) { id } }`),
  'Mutation.deleteWebhook(id)': (id) => graphql(`mutation { deleteWebhook(id: "${id}") }`),
  'Mutation.rotateWebhookSecret(id)': (id) => graphql(`mutation { rotateWebhookSecret(id: "${id}") { id } }`),
  'Mutation.testWebhook(id)': (id) => graphql(`mutation { testWebhook(id: "${id}") { id } }`),
  'Mutation.redeliver(delivery)': (id) => graphql(`mutation { redeliver(delivery: "${id}") { id } }`),
};

describe.each(Object.entries(onWebhook))('a webhook, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  const nameIn = ({ webhook }: typeof sites.here): string =>
    argument.includes('delivery') ? webhook.deliveryId : webhook.id;

  test('a webhook or delivery of another site answers a master token like a missing one, and one of the site others', async () => {
    await expectAlike(sites.ask('master'), naming, nameIn(sites.there), randomUUID());
    for (const kind of ['public', 'user+ada']) {
      await expectAlike(sites.ask(kind), naming, nameIn(sites.here), randomUUID());
    }
  });
});

describe('a new object', () => {
  test.each([
    ['ChannelInput.id', (id: string) => graphql(`mutation { createChannel(input: { id: "${id}" }) { id name } }`)],
    ['CustomerInput.id', (id: string) => graphql(`mutation { createCustomer(input: { id: "${id}" }) { id name } }`)],
    [
      'RoleInput.id',
      (id: string) => graphql(`mutation { createRole(input: { id: "${id}", rights: [] }) { id name } }`),
    ],
  ] as const)(
    'a new object with an id of another site is created like one with a free id: %s',
    async (argument, naming) => {
      tried.add(argument);
      const { ownChannel, ownCustomer, role } = sites.there;
      const ids: Record<string, string> = { 'ChannelInput.id': ownChannel, 'RoleInput.id': role };
      const hidden = ids[argument] ?? ownCustomer.id;
      const { text } = await expectAlike(sites.ask('master'), naming, hidden, `free-${randomUUID()}`);
      expect(text).not.toContain('errors');
    },
  );

  const slugged = (slug: string): Ask =>
    graphql(`mutation { createEntry(channel: "forms", input: { slug: "${slug}" }) { slug } }`);
  test('an entry with a slug of another channel or another site is created like one with a free slug', async () => {
    tried.add('EntryInput.slug');
    for (const hidden of ['closed', 'theirs']) {
      const { text } = await expectAlike(sites.ask('public+ada'), slugged, hidden, `free-${randomUUID()}`);
      expect(text).toContain(hidden);
    }
  });

  test('an entry with the slug of a hidden entry is refused like one with the slug of a visible entry', async () => {
    const { forms } = sites.here;
    const acl = { users: { read: false } };
    const row = await buildEntry(app.database.prisma, forms, { slug: 'unseen', acl, data: { title: 'Secret' } });
    await buildEntry(app.database.prisma, forms, { slug: 'seen', data: { title: 'Open' } });
    // As one that anybody can see.
    const { text } = await expectAlike(sites.ask('public+ada'), slugged, 'unseen', 'seen');
    expect(text).toContain('CONFLICT');
    for (const secret of [row.id, row.shortId, 'Secret', 'unseen']) expect(text).not.toContain(secret);
  });

  test.each([
    ['EntryInput.owner', (actor: string) => `owner: "${actor}"`],
    ['AclRuleInput.actor', (actor: string) => `acl: [{ actor: "${actor}", read: true }]`],
  ] as const)(
    'an entry that names a customer of the site, of another one or of none is created alike: %s',
    async (argument, input) => {
      tried.add(argument);
      const naming = (actor: string): Ask =>
        graphql(`mutation { createEntry(channel: "forms", input: { ${input(actor)} }) { owner acl { actor } } }`);
      const { here, there } = sites;
      for (const kind of ['master', 'public+ada']) {
        for (const { id } of [here.ownCustomer, there.ownCustomer])
          await expectAlike(sites.ask(kind), naming, id, 'nobody');
      }
    },
  );
});

test('each argument that names an object of management has a test', () => {
  const things = [
    'site',
    'customer',
    'member',
    'role',
    'invitation',
    'session',
    'token',
    'webhook',
    'slug',
    'new',
    'actor',
  ];
  const due = [...argumentTable].filter(([, thing]) => things.includes(thing)).map(([argument]) => argument);
  // Credentials that do not hold are tried at every door in test/once/hostile/credentials*.test.ts.
  const credentials = ['x-service-site', 'session-token', 'x-service-session-token', 'authorization'];
  expect([...tried, ...credentials.map((name) => `header ${name}`)].sort()).toEqual(due.sort());
});
