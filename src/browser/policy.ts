// What a browser may do with our pages (docs/contract.md §14).

/**
 * The content security policy of the pages: everything comes from this service, and scripts are files, so that text which gets into
 * a page is never run. The editors of GraphiQL and Swagger UI set styles in elements. Swagger UI's pictures are data: URLs.
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

/** The headers of a page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** The headers of a file whose name contains a digest of its content: any cache may keep it, for everybody. */
export const assetHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  Vary: 'Accept-Encoding',
};
