// The rule of lint that reports clauses in comments over which readers stumble (docs/architecture.md, "Words").

/** Clauses that stand for a noun of the trade, each with the advice that the report has. */
const clauses = [
  {
    pattern: /^(what|who|whom|whose|whoever|how|that which|those)\b/i,
    advice: 'Begin a comment with a verb or a noun of the trade',
  },
  {
    pattern: /@(?:param \S+|returns|throws) (?:what|who|whose|whoever|how|that which)\b/,
    advice: 'Describe a parameter or a result with a noun of the trade',
  },
  { pattern: /\btold\b/i, advice: 'Say sent, reported, notified or cached' },
  { pattern: /\blook(?:s|ed|ing)? (?:at|for)\b/i, advice: 'Say read, poll, probe, check, scan or search' },
  { pattern: /\bwhat (?:is|was|are|were)\b[^.,;:]* of\b/i, advice: 'Name the noun' },
  {
    pattern: /\b(?:who|whom)ever\b|\b(?:those|some(?:body|one)|every(?:body|one)|any(?:body|one)|nobody) who\b/i,
    advice: 'Name the subject: caller, reader, process, request',
  },
];

/** The first clause of a comment over which readers stumble; undefined without one. @param text the comment in one line */
export function findClause(text) {
  for (const { pattern, advice } of clauses) {
    const match = pattern.exec(text);
    if (match) return { clause: match[0], advice };
  }
  return undefined;
}

/** The text of a comment in one line. */
function textOf({ value }) {
  return value
    .replace(/^\*/, '')
    .replace(/\s*\n\s*\*? ?/g, ' ')
    .trim();
}

/** Joins the comments of consecutive lines, each of which continues the one before. */
function joinLines(comments) {
  const joined = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const continues = comment.type === 'Line' && last?.isLine && last.end.line + 1 === comment.loc.start.line;
    if (continues && last.start.column === comment.loc.start.column) {
      last.text += ` ${textOf(comment)}`;
      last.end = comment.loc.end;
    } else joined.push({ text: textOf(comment), isLine: comment.type === 'Line', ...comment.loc });
  }
  return joined;
}

/** Reports comments with such clauses. */
export const plainComments = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    return {
      Program: () => {
        for (const { text, start, end } of joinLines(context.sourceCode.getAllComments())) {
          const found = findClause(text);
          if (found === undefined) continue;
          context.report({
            loc: { start, end },
            message: `${found.advice}, in place of ${JSON.stringify(found.clause)} (docs/architecture.md, "Words").`,
          });
        }
      },
    };
  },
};
