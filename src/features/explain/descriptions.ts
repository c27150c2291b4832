// The descriptions of the routes of explanations and previews of access, in the order of their rows.
import type { RouteDescription } from '../../rest/description.ts';

export const explainDescriptions = {
  explain: {
    id: 'explainEntryAccess',
    summary: 'Explains why somebody may or may not do something with an entry',
    answer: { status: 200, schema: 'AccessExplanation' },
  },
  previewAcl: {
    id: 'previewChannelAcl',
    summary: 'Tells which entries other scopes of a channel would show or hide',
    answer: { status: 200, schema: 'AclPreview' },
  },
  rights: {
    id: 'fetchRights',
    summary: 'Tells what the caller may do in a channel, and with an entry of it',
    answer: { status: 200, schema: 'Rights' },
  },
} as const satisfies Record<string, RouteDescription>;
