// The functions that write entries, made anew without the record of their change, and as they were: only the benchmark does that.

const functions = [
  'entryway_create_entry',
  'entryway_create_entries',
  'entryway_update_entry',
  'entryway_delete_entry',
];
const statement = /\n *INSERT INTO "changes"[^;]*;/;
const part = /, "recorded" AS \([^]*?\n {4}\)(?=, "stored")/;

/** @returns a function that replaces the functions of a database: by such that make records, or by such that do not */
export async function recordSwitch(prisma) {
  const names = functions.map((name) => `'${name}'`).join(', ');
  const found = await prisma.$queryRawUnsafe(
    `SELECT pg_get_functiondef(p.oid) AS text FROM pg_catalog.pg_proc p WHERE p.proname IN (${names})`,
  );
  if (found.length !== functions.length) throw new Error('The functions that write entries are not there.');
  const recording = found.map(({ text }) => text);
  const plain = recording.map(leaveOut);
  return async (areMade) => {
    for (const text of areMade ? recording : plain) await prisma.$executeRawUnsafe(text);
  };
}

/** A function without its record. */
function leaveOut(text) {
  const left = text.replace(statement.test(text) && !part.test(text) ? statement : part, '');
  if (left.includes('"changes"')) throw new Error('The record of a change is not where it was expected.');
  return left;
}
