// What must not be seen: tokens anywhere, and in errors whatever tells how the service is made. Pure.
const root = new URL('../../../', import.meta.url).pathname;

const token = /ew_(?:master|public|user|session|signin|browser|link)_[0-9A-Za-z]{20,}/g;

/** The tokens in a text, as they are or percent-encoded, even twice. */
export function tokensIn(text) {
  const found = text.match(token) ?? [];
  const decoded = text.includes('%') ? decode(text) : text;
  return decoded === text ? found : [...found, ...tokensIn(decoded).filter((each) => !found.includes(each))];
}

/** Whether a line of the log tells of a rejection that nobody handled, other than one that a test has planted (planting.mjs). */
export function isStray(line) {
  return /"msg":"(?:stray rejection|crashed)"/.test(line) && !line.includes('planted by a test');
}

/** A text with each percent-encoded ASCII character decoded, whatever else is or isn't well encoded. */
export function decode(text) {
  return text.replace(/%([0-7][0-9A-Fa-f])/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** What an error must not show: by the kind of what it gives away. */
const giveaways = {
  SQL: [
    /\bSELECT\b[^]{0,300}?\bFROM\b/,
    /\bINSERT INTO\b/,
    /\bDELETE FROM\b/,
    /\bUPDATE\b[^]{0,100}?\bSET\b/,
    /"public"\."?\w+/,
    /\b(?:syntax error at or near|violates [\w -]{0,40}constraint|duplicate key value|deadlock detected|SQLSTATE)\b/i,
    /\binvalid input (?:syntax|value) for\b|\b(?:column|relation|type|function) "?[\w.]+"? does not exist\b/i,
    /\bcould not serialize access\b|\bprepared statement\b|\bstatement timeout\b|\block timeout\b/i,
  ],
  'a name of the database': [
    /\b(?:site_id|siteId|channel_uid|channelUid|read_grant|readGrant|read_deny|readDeny|title_key|titleKey)/,
    /\b(?:title_rest|titleRest|(?:create|read|update|delete)_scope|(?:create|read|update|delete)Scope)\b/,
    /\b(?:sites|users|memberships|tokens|customers|sessions|channels|entries)_\w*(?:pkey|key|fkey|idx|bound|notify|time)\b/,
    /\bentryway_(?:fold|actors|notify|\w+_test_\w+|test_\w+)\b|\b_prisma_migrations\b|\bpg_\w+\b|\b(?:entry_status|channel_scope|token_kind)\b/,
  ],
  'a stack': [
    /(?:^|\n)\s*at \S[^\n]*:\d+:\d+/,
    /\bat (?:async |new )?[\w.<>$]+ \((?:<|[^)\n]*[:/])[^)\n]*\)/,
    /[\w-]\.[cm]?[jt]sx?:\d+/,
  ],
  'a path of the machine': [
    new RegExp(root.replace(/\/$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
    /\bfile:\/\//,
    /\bnode_modules\b|\bnode:internal\b/,
    /(?<![\w/.-])\/(?:home|root|usr|var|tmp|opt|etc|srv|mnt|proc|Users|private)\/\w/,
    /\b[A-Z]:\\\w/,
  ],
  'the name of a library': [
    /\b(?:prisma\w*|pglite\w*|electric-sql|apollo(?!-require-preflight\b)[\w-]*|graphql-(?:js|tools|scalars|http)|postgres\w*)\b/i,
    /\b(?:node-postgres|zod|pino|express(?:js)?|body-parser|raw-body|finalhandler|helmet|undici|lru-cache)\b/i,
  ],
  'an error of the code': [
    /\b(?:Type|Reference|Range|Eval|URI|Aggregate)Error\b|\b(?:Prisma|Driver|Database|GraphQL|Zod|Service)\w*Error\b/,
    /\b(?:P[12]\d{3}|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|ERR_[A-Z_]{3,})\b/,
    /\bCannot read propert|\bis not a function\b|\bis not iterable\b|\bUnexpected token\b|\bUnexpected end of JSON\b/,
  ],
};

/** Each by itself, to find all that it fits. */
const everyPattern = Object.entries(giveaways).flatMap(([kind, patterns]) =>
  patterns.map((pattern) => ({ kind, pattern: new RegExp(pattern, `${pattern.flags}g`) })),
);

/**
 * What a text gives away: { kind, found }.
 * @param isKnown whether the caller had said so much itself
 */
export function giveawaysIn(text, isKnown = () => false) {
  return everyPattern.flatMap(({ kind, pattern }) =>
    [...new Set(text.match(pattern))].filter((found) => !isKnown(found)).map((found) => ({ kind, found })),
  );
}
