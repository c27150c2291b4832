// Formats the JSON of variables and headers for GraphiQL, which would load Prettier's parser and printer of JavaScript for it: a
// sixteenth of all that the pages are. vite.config.ts puts this module in their place; it has the form of a plugin of Prettier.
import { applyEdits, format } from 'jsonc-parser';

interface Text {
  readonly type: 'text';
  readonly text: string;
}

export const parsers = {
  jsonc: {
    astFormat: 'text',
    parse: (text: string): Text => ({ type: 'text', text }),
    locStart: () => 0,
    locEnd: ({ text }: Text) => text.length,
  },
};

export const printers = {
  text: {
    print: ({ node: { text } }: { readonly node: Text }) =>
      applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 })),
  },
};
