// The rows of the route table for explanations and previews of access (docs/contract.md §10). The operations are those of GraphQL.
import { respondOne } from '../../management/respond.ts';
import { route } from '../../rest/route.ts';
import { explainDescriptions } from './descriptions.ts';
import { explainEntryAccess } from './explain.ts';
import { previewChannelAcl } from './previewAcl.ts';
import { fetchRights } from './rights.ts';
import { restAclPreview, restExplanation, restRights } from './serializer.ts';

export const explainRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channel/entries/:entry/access',
    parameters: ['as', 'at'],
    description: explainDescriptions.explain,
    operation: explainEntryAccess,
    arguments: ({ parameters: { channel, entry: id }, query: { as, at } }) => ({ channel, id, as, at }),
    respond: (explanation) => respondOne(restExplanation(explanation)),
  }),
  route({
    method: 'GET',
    path: '/channels/:channel/acl-preview',
    parameters: ['create', 'read', 'update', 'delete', 'publishable'],
    description: explainDescriptions.previewAcl,
    operation: previewChannelAcl,
    arguments: ({ parameters: { channel }, query: { publishable, ...acl } }) => ({ channel, acl, publishable }),
    respond: (preview) => respondOne(restAclPreview(preview)),
  }),
  route({
    method: 'GET',
    path: '/channels/:channel/rights',
    parameters: ['entry'],
    description: explainDescriptions.rights,
    operation: fetchRights,
    arguments: ({ parameters: { channel }, query: { entry: id } }) => ({ channel, id }),
    respond: (rights) => respondOne(restRights(rights)),
  }),
];
