// A page of a few words, for people at an address that has nothing else for them.

/**
 * Writes a page. It repeats nothing of a request.
 * @param title its heading
 * @param lines the HTML of its paragraphs
 */
export function plainPage(title: string, lines: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${title} · Entryway</title>
    <link rel="icon" href="data:," />
    <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
      body { max-width: 34rem; margin: 12vh auto; padding: 0 1rem; }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${lines}
    </main>
  </body>
</html>
`;
}
