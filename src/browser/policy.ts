// The headers that restrict our pages in browsers, and the files that they load (docs/contract.md §20). Answers to
// programs have none of them: they protect documents, and JSON is none (docs/contract.md §5.1).

/**
 * The content security policy of the pages: everything comes from this service, and scripts are files, so that text
 * which gets into a page is never run. The editors of GraphiQL and Swagger UI set styles in elements. Swagger UI's
 * pictures are data: URLs.
 */
const directives = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * The headers of a page: they restrict its sources, keep other pages from framing it, from having a handle of its
 * window or its process, and from learning its address, and turn off automatic features of old browsers and their
 * plug-ins.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};

/**
 * The headers of a file whose name contains a digest of its content: any cache may keep it, for all clients. A worker
 * has the policy of its file and not that of the page, as does a picture that is opened by itself: they may load
 * nothing.
 */
export const assetHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept-Encoding, Origin',
};
