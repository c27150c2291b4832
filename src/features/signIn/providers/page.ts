// The page that a person gets whose sign-in by a provider has failed. It repeats nothing of the request.
import type { Logger } from 'pino';
import { plainPage } from '../../../browser/plainPage.ts';
import { pageHeaders } from '../../../browser/policy.ts';
import { logFault, toServiceError } from '../../../http/fault.ts';
import type { HttpResponse } from '../../../http/messages.ts';

/** Answers with a page. @param root the path of the service, without a slash at the end */
export function sendFailurePage(response: HttpResponse, error: unknown, root: string, log: Logger): void {
  const refusal = toServiceError(error);
  logFault(log, refusal, { requestId: response.req.id });
  response.req.account.noteError(refusal);
  response.setAll({ ...refusal.headers, ...pageHeaders });
  const lines = `<p>${escape(refusal.detail)}</p>
      <p><a href="${escape(`${root}/console`)}">Back to the console</a></p>`;
  const page = plainPage('Not signed in', lines);
  response.sendEncoded(refusal.status, 'text/html; charset=utf-8', Buffer.from(page), null);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (each) => entities[each] ?? '');
}
