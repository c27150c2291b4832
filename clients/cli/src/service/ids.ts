// Checks the ids that a command line names, before anything is asked.
import { handleRule, isHandle } from '../../../../src/rules/names.ts';
import { UsageError } from '../terminal/refusal.ts';

/** The id of a site. @throws {UsageError} where no site can have it */
export function siteId(text: string): string {
  if (!isHandle(text)) throw new UsageError(`"${text}" can't be a site's id: it ${handleRule}.`);
  return text;
}

/** The id of a channel. @throws {UsageError} where no channel can have it */
export function parseChannelId(text: string): string {
  if (!isHandle(text)) throw new UsageError(`"${text}" can't be a channel's id: it ${handleRule}.`);
  return text;
}
