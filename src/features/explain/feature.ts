// Explanations of access, and previews of a channel's changed access list (docs/contract.md §10).
import { findingField } from '../../graphql/fields.ts';
import type { Feature } from '../feature.ts';
import { explainEntryAccess } from './explain.ts';
import { previewChannelAcl } from './previewAcl.ts';
import { fetchRights } from './rights.ts';
import { explainRoutes } from './routes.ts';

export const explain = {
  name: 'explain',
  operations: { explainEntryAccess, previewChannelAcl, fetchRights },
  routes: explainRoutes,
  graphql: {
    Query: {
      accessExplanation: findingField(explainEntryAccess),
      channelAclPreview: findingField(previewChannelAcl),
      rights: findingField(fetchRights),
    },
  },
  tables: [],
} satisfies Feature;
