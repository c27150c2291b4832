// Checks the rows of an imported site (docs/contract.md §12.4). They come from a file that may be forged: a row that
// the service itself could not have stored is refused.
import { z } from 'zod';
import {
  columnName,
  isFixedField,
  members,
  settableMembers,
  type ColumnName,
  type RestName,
  type SettableMember,
} from '../../../entries/members.ts';
import { enums } from '../../../base/enums.ts';
import { fail } from '../../../base/errors.ts';
import { storedEmail } from '../../../fields/email.ts';
import { lineOfText, upTo } from '../../../fields/text.ts';
import { timeInput } from '../../../fields/time.ts';
import { isBuiltIn } from '../../../auth/members.ts';
import { maxRightsOfRole, maxRolesOfMember, parseRight } from '../../../rules/rights.ts';
import { isHandle, isShortId, isSlug, handleRule, slugRule, uuidShape } from '../../../rules/names.ts';
import { aclInput } from '../../../inputs/acl.ts';
import { changeTypes } from '../../changes/input.ts';
import { languages, layoutInput, newChannelInput } from '../../../management/channels/input.ts';
import { newCustomerInput } from '../../../inputs/customer.ts';
import { fieldsInput } from '../../../management/channels/fieldInput.ts';
import { hasFiniteNumbers, isObject, unstorableNumber } from '../../../inputs/json.ts';
import { memberSchemas } from '../../../inputs/payload.ts';
import { newWebhookInput } from '../../webhooks/input.ts';

/** Maximum number of rows in one message of an import. */
export const maxImportedRows = 500;

const handle = z.string().refine(isHandle, handleRule);
const uuid = z.string().regex(uuidShape, 'must be a UUID').toLowerCase();
const name = upTo(lineOfText(), 255);
const scope = z.enum(enums.ChannelScope);
const times = { created_at: timeInput, updated_at: timeInput };
const version = z.int().min(1).max(2_147_483_647);

/** A JSON object, passed on unchanged: the schemas of records leave out a member with the name `__proto__`. */
const object = z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object');

const values = object.superRefine((fields, context) => {
  for (const [field, value] of Object.entries(fields)) {
    const isCustom = field !== '' && field.length <= 255 && !field.startsWith('_') && !isFixedField(field);
    const message = isCustom ? unstorableNumber : 'is not the name of a custom field';
    if (!isCustom || !hasFiniteNumbers(value)) context.addIssue({ code: 'custom', path: [field], message });
  }
});

/**
 * The schemas of the columns of settable members. Files of an earlier version lack members that were added since: see
 * `formatVersion`.
 */
const settableColumns = Object.fromEntries(
  settableMembers.map((name) => [columnName(name), memberSchemas[members[name].rest]]),
) as { readonly [Name in SettableMember as ColumnName<Name>]: (typeof memberSchemas)[RestName<Name>] };

const entry = z
  .strictObject({
    channel: handle,
    id: uuid,
    short_id: z.string().refine(isShortId, 'is not a short id'),
    ...settableColumns,
    slug: z.string().refine(isSlug, slugRule),
    version,
    ...times,
    acl: object.transform((acl): [string, unknown][] | null => Object.entries(acl)).pipe(aclInput),
    values,
  })
  .refine(({ status, publish_at }) => status !== 'scheduled' || publish_at !== null, {
    path: ['publish_at'],
    message: 'must be a time where the status is scheduled',
  });

/** The schemas of the rows of each section of a file. Those of members come with the end of an import. */
const rowSchemas = {
  channels: z
    .strictObject({
      id: handle,
      name,
      description: upTo(z.string(), 10_000).nullable(),
      publishable: z.boolean(),
      create_scope: scope,
      read_scope: scope,
      update_scope: scope,
      delete_scope: scope,
      title_field: newChannelInput.shape.titleField.unwrap().unwrap(),
      language: z.enum(languages),
      type_name: newChannelInput.shape.typeName.unwrap(),
      // Absent in older files.
      layout: layoutInput.default(null),
      fields: fieldsInput,
      version,
      ...times,
    })
    .refine(({ title_field, fields }) => !fields.some(({ name, read }) => name === title_field && read !== undefined), {
      path: ['fields'],
      message: 'must have no rule for reading the title field',
    }),
  customers: z.strictObject({
    id: newCustomerInput.shape.id.unwrap().unwrap(),
    email: storedEmail.nullable(),
    name: name.nullable(),
    roles: newCustomerInput.shape.roles.unwrap().unwrap(),
    ...times,
  }),
  roles: z.strictObject({
    id: handle.refine((id) => !isBuiltIn(id), 'is the id of a role that is built in'),
    name: name.nullable(),
    rights: z.array(z.string().refine((text) => parseRight(text) !== null, 'must be a right')).max(maxRightsOfRole),
    ...times,
  }),
  webhooks: z.strictObject({
    id: uuid,
    url: newWebhookInput.shape.url,
    types: z.array(z.enum(changeTypes)).max(changeTypes.length),
    channels: z.array(handle).max(100),
    audience: z.enum(enums.WebhookAudience),
    ...times,
  }),
  tokens: z
    .strictObject({
      id: uuid,
      kind: z.enum(enums.TokenKind),
      name: name.nullable(),
      /** Absent for a token without scopes. */
      scopes: z
        .array(z.string().refine((text) => parseRight(text)?.own === false, 'must be a right to more than own entries'))
        .max(maxRightsOfRole)
        .nullable()
        .default(null),
      created_at: timeInput,
      expires_at: timeInput.nullable(),
      revoked_at: timeInput.nullable(),
    })
    .refine(({ kind, scopes }) => kind !== 'public' || scopes === null, 'a public token takes no scopes'),
  sessions: z.strictObject({
    id: uuid,
    customer: upTo(z.string(), 255),
    created_at: timeInput,
    expires_at: timeInput,
    revoked_at: timeInput.nullable(),
  }),
  entries: entry,
};

/** The user of a membership: one is created for an unknown address. */
const memberRow = z.strictObject({
  email: storedEmail.refine((text) => text === text.toLowerCase(), 'must be in lower case'),
  name: name.nullable(),
  /** Absent in files of sites without roles. */
  roles: z.array(handle).max(maxRolesOfMember).default([]),
  created_at: timeInput,
});

export type ImportedSection = keyof typeof rowSchemas;
export type ImportedRow<Section extends ImportedSection> = z.output<(typeof rowSchemas)[Section]>;
export type ImportedMember = z.output<typeof memberRow>;

/** The rows of one section. */
export type ImportedRows = {
  readonly [Section in ImportedSection]: {
    readonly section: Section;
    readonly rows: readonly ImportedRow<Section>[];
  };
}[ImportedSection];

/** Whether a text names a section whose rows are stored before the end of an import. */
export function isImportedSection(text: string): text is ImportedSection {
  return Object.hasOwn(rowSchemas, text);
}

/** Checks rows of one section. @throws bad_request naming the first invalid row, counted from 0, and the reason */
export function parseImportedRows(section: ImportedSection, rows: readonly unknown[]): ImportedRows {
  return { section, rows: parseRows(rowSchemas[section], section, rows) } as ImportedRows;
}

/** Checks the members of a site. @throws bad_request as above, and if one is named twice */
export function parseImportedMembers(rows: readonly unknown[]): ImportedMember[] {
  const members = parseRows(memberRow, 'members', rows);
  const seen = new Set<string>();
  const twice = members.find(({ email }) => seen.size === seen.add(email).size);
  if (twice !== undefined) fail('bad_request', `The member ${twice.email} is named twice.`);
  return members;
}

function parseRows<Shape extends z.ZodType>(
  shape: Shape,
  section: string,
  rows: readonly unknown[],
): z.output<Shape>[] {
  return rows.map((row, index) => {
    const parsed = shape.safeParse(row);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    fail('bad_request', `Row ${index} of these ${section} does not fit: ${issue?.path.join('.')}: ${issue?.message}`);
  });
}
