// The page that a person gets whose sign-in by a provider has failed. It repeats nothing of the request.
import type { Logger } from 'pino';
import { pageHeaders } from '../../../browser/policy.ts';
import { logFault, toServiceError } from '../../../http/fault.ts';
import type { HttpResponse } from '../../../http/messages.ts';

/** Answers with a page. @param root the path of the service, without a slash at the end */
export function sendFailurePage(response: HttpResponse, error: unknown, root: string, log: Logger): void {
  const refusal = toServiceError(error);
  logFault(log, refusal, { requestId: response.req.id });
  response.req.account.noteError(refusal);
  response.setAll({ ...refusal.headers, ...pageHeaders });
  const page = failurePage(refusal.detail, `${root}/console`);
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

function failurePage(reason: string, console: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>Not signed in · Entryway</title>
    <link rel="icon" href="data:," />
    <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
      body { max-width: 34rem; margin: 12vh auto; padding: 0 1rem; }
    </style>
  </head>
  <body>
    <main>
      <h1>Not signed in</h1>
      <p>${escape(reason)}</p>
      <p><a href="${escape(console)}">Back to the console</a></p>
    </main>
  </body>
</html>
`;
}
