// A database whose writes leave out the record of their change, when they are told to: only the benchmark has this switch.
import { Prisma } from '../dist/generated/prisma/client.js';

const begin = ', recorded AS (';

/** @returns the database, and `records`: whether they are made */
export function withoutRecords(database) {
  const records = { areMade: true };
  const edit = (statement) => (records.areMade ? statement : leaveOut(statement));
  const statements = replace(database.statements, {
    write: (statement) => database.statements.write(edit(statement)),
  });
  const within = (transaction) =>
    replace(transaction, { $queryRaw: (statement, ...values) => transaction.$queryRaw(edit(statement), ...values) });
  const prisma = replace(database.prisma, {
    $transaction: (work, ...rest) => {
      if (typeof work !== 'function') return database.prisma.$transaction(work, ...rest);
      return database.prisma.$transaction((transaction) => work(within(transaction)), ...rest);
    },
  });
  return { database: replace(database, { statements, prisma }), records };
}

/** An object with other members. */
function replace(target, members) {
  return new Proxy(target, {
    get: (object, name) => {
      if (Object.hasOwn(members, name)) return members[name];
      const value = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}

/** A statement without its record; as it is if it has none. */
function leaveOut(statement) {
  if (!(statement instanceof Prisma.Sql)) return statement;
  const { strings, values } = statement;
  const at = strings.findIndex((text) => text.includes(begin));
  if (at < 0) return statement;
  const from = strings[at].indexOf(begin);
  let depth = 1;
  for (let piece = at, index = from + begin.length; piece < strings.length; piece += 1, index = 0) {
    for (; index < strings[piece].length; index += 1) {
      const character = strings[piece][index];
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      if (depth > 0) continue;
      const text = strings[at].slice(0, from) + strings[piece].slice(index + 1);
      return new Prisma.Sql(
        [...strings.slice(0, at), text, ...strings.slice(piece + 1)],
        [...values.slice(0, at), ...values.slice(piece)],
      );
    }
  }
  throw new Error('The record of the statement has no end.');
}
