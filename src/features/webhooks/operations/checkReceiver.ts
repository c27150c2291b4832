// Refuses URLs of addresses that webhooks must not be sent to (docs/contract.md §9).
import type { Context } from '../../../resolvers/context.ts';
import { failValidation } from '../../../base/errors.ts';

/** Checks the address of a URL, which needs a look-up of its name. @throws validation_failed */
export async function checkReceiver(url: string, { services: { webhooks }, site }: Context): Promise<void> {
  const fault = await webhooks.findFault(new URL(url), site);
  if (fault !== null) failValidation([{ field: 'url', code: 'invalid', message: fault }]);
}
