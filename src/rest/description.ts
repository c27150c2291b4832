// The description of a row of the REST table in the OpenAPI document (docs/contract.md §11). A row without it does not
// compile.

/** The schemas that each described channel has of its own, below its id; those of no channel fit every channel. */
export const entrySchemaNames = [
  ...(['EntryMembers', 'Entry', 'NewEntry', 'EntryChange', 'EntryPatch', 'BulkRequest', 'BulkResults'] as const),
  ...(['Publication', 'SortKey', 'Member', 'Include'] as const),
] as const;
export type EntrySchemaName = (typeof entrySchemaNames)[number];

/** The schemas of answers about objects other than entries. */
export type AnswerSchemaName =
  | 'Stub'
  | 'Field'
  | 'Channel'
  | 'Change'
  | 'ChangePage'
  | 'Decision'
  | 'AccessExplanation'
  | 'Rights'
  | 'AclPreview'
  | 'Webhook'
  | 'WebhookWithSecret'
  | 'WebhookDelivery'
  | 'AuditRecord'
  | 'Me'
  | 'SiteMember'
  | 'Role'
  | 'Invitation'
  | 'InvitationWithUrl'
  | 'Customer'
  | 'Session'
  | 'SessionWithToken'
  | 'Token'
  | 'TokenWithSecret';

/** The schemas of the bodies of management. */
export type BodySchemaName =
  | 'NewField'
  | 'NewChannel'
  | 'ChannelChange'
  | 'NewCustomer'
  | 'CustomerChange'
  | 'MemberChange'
  | 'NewInvitation'
  | 'NewRole'
  | 'RoleChange'
  | 'NewToken'
  | 'NewSession'
  | 'NewWebhook'
  | 'WebhookChange'
  | 'SecretOverlap'
  | 'NoMembers';

/** The schemas of the document. A name that the document has no schema for does not compile there. */
export type SchemaName =
  EntrySchemaName | AnswerSchemaName | BodySchemaName | 'Problem' | 'Count' | 'CommaList' | 'OlderName' | 'Document';

/** Request headers that only some routes take. */
export type RequestHeaderName = 'If-Match' | 'If-None-Match' | 'Prefer' | 'Last-Event-ID';

/** Response headers that only some routes have. */
export type ResponseHeaderName =
  | 'ETag'
  | 'Location'
  | 'Link'
  | 'Preference-Applied'
  | 'X-Next-Cursor'
  | 'X-Page'
  | 'X-Per-Page'
  | 'X-Total-Count'
  | 'X-Total-Count-At-Least'
  | 'X-Total-Pages';

/** The headers of a page of a list that goes on behind a cursor. */
export const cursorHeaders: readonly ResponseHeaderName[] = ['Link', 'X-Per-Page', 'X-Next-Cursor'];
/** The answer without a body. */
export const noContent = { status: 204 } as const;

/** The description of a route, without the facts that follow from its row, such as its errors. */
export interface RouteDescription {
  /** The name of the operation; of a route of entries, behind the channel's id and a dot. */
  readonly id: string;
  readonly summary: string;
  /** The request headers that it takes besides those of every request. */
  readonly headers?: readonly RequestHeaderName[];
  /** The schema of the body that it takes. */
  readonly body?: SchemaName;
  /** The answer of success; without a schema it has no body. */
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly schema?: SchemaName;
    readonly isList?: boolean;
    /** Whether it is a stream of events, if the request accepts text/event-stream. */
    readonly streams?: boolean;
    readonly headers?: readonly ResponseHeaderName[];
  };
  /** The values of `include` if it does not name references. */
  readonly include?: readonly string[];
  /** Statuses of refusals that do not follow from the row. */
  readonly refusals?: readonly number[];
}
