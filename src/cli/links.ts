// Links that commands print, each only once: of invitations, and those that set a password.
import { readConfig } from '../config/config.ts';
import { linkAddress } from '../management/invitations/address.ts';
import { timeText } from '../../clients/cli/src/terminal/output.ts';

/** A link to be printed, in JSON. */
export interface PrintedLink {
  readonly email: string;
  readonly token: string;
  readonly expiresAt: string;
}

/** The address of a link: at PUBLIC_URL, or without it at `localhost`. @throws the errors of reading the configuration */
export function linkUrl(token: string): string {
  const { publicUrl, port } = readConfig(process.env);
  return linkAddress(publicUrl ?? `http://localhost:${port}`, token);
}

/** An invitation as the results of commands show it. */
export function invitationJson({ email, token, expiresAt }: PrintedLink): object {
  return { email, url: linkUrl(token), expires_at: expiresAt };
}

/** Says that a user got an invitation in place of a membership, with its link. */
export function invitationText({ email, token, expiresAt }: PrintedLink, site: string): string {
  return (
    `Nobody has proved yet that ${email} belongs to its user, whom an invitation has made: this link makes the user a member of ` +
    `${site}. It is good once and until ${timeText(expiresAt, '')}:\n${linkUrl(token)}`
  );
}
