// Which failures mean that the database can't answer now, rather than that a statement is wrong.
import { Prisma } from '../generated/prisma/client.ts';

/** Prisma's codes for a server that can't be reached or closes the connection, and for what it has not got to in time. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/**
 * SQLSTATEs (classes 08 and 57P: connection lost, server shutting down or starting; 53: out of connections, memory or
 * disk; 25006: one that only reads for now; 40001, 40P01, 55P03 and 57014: in each other's way for too
 * long) and the socket errors of Node.
 */
const causes =
  /^(08\w{3}|57P0[1-5]|53\w{3}|25006|40001|40P01|55P03|57014|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const messages =
  /connection terminated|timeout exceeded when trying to connect|server has closed the connection|can't reach database server|connection error|PGlite is closed|embedded database ended/i;

/** Whether an error says that the database could not be reached, left while it was asked, or did not get to it in time. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof Prisma.PrismaClientInitializationError) return true;
    if (codesOf(cause).some((code) => prismaCodes.has(code) || causes.test(code))) return true;
    if (messages.test(cause.message)) return true;
  }
  return false;
}

/** Whether an error says that this transaction and others were in each other's way, for all that they hold. */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && codesOf(error).some((code) => /^(40001|40P01|55P03|P2034)$/.test(code));
}

/** Whether a raw statement met a unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const driverError = error.meta?.['driverAdapterError'] as { cause?: { kind?: unknown } } | undefined;
  return driverError?.cause?.kind === 'UniqueConstraintViolation';
}

/** Whether an error says that a statement divided by zero, as `failOnStrays` does to end its transaction. */
export function isDivisionByZero(error: unknown): boolean {
  return error instanceof Error && codesOf(error).includes('22012');
}

/** The codes that an error carries: its own, and those of the driver's error inside Prisma's. */
function codesOf(error: Error): string[] {
  const { code, meta } = error as { code?: unknown; meta?: Record<string, unknown> };
  const driverError = meta?.['driverAdapterError'] as { cause?: { originalCode?: unknown } } | undefined;
  const inner = [meta?.['code'], driverError?.cause?.originalCode];
  return [code, ...inner].filter((value) => typeof value === 'string');
}
