// Classifies errors of the database: it is unavailable, a transaction may be retried, or a statement failed.
import { Prisma } from '../generated/prisma/client.ts';

/** Prisma's codes for a server that cannot be reached or closes the connection, and for timeouts. */
const unavailablePrismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/**
 * SQLSTATEs and Node's socket errors. Class 08 and 57P: connection lost, server starting or shutting down; 53: out of
 * connections, memory or disk; 25006: the server is read-only; 40001: serialization failure; 40P01: deadlock; 55P03: lock
 * timeout; 57014: statement timeout.
 */
const unavailableCodes =
  /^(08\w{3}|57P0[1-5]|53\w{3}|25006|40001|40P01|55P03|57014|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const unavailableMessages =
  /connection terminated|timeout exceeded when trying to connect|server has closed the connection|can't reach database server|connection error|PGlite is closed|cannot use a pool after calling end|embedded database ended/i;

/** Whether the database could not be reached, went away during a statement, or did not finish it in time. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof Prisma.PrismaClientInitializationError) return true;
    if (listCodes(cause).some((code) => unavailablePrismaCodes.has(code) || unavailableCodes.test(code))) return true;
    if (unavailableMessages.test(cause.message)) return true;
  }
  return false;
}

/** Whether a transaction may be retried: it failed by a serialization failure, a deadlock or a lock timeout. */
export function mayRetryTransaction(error: unknown): boolean {
  return error instanceof Error && listCodes(error).some((code) => /^(40001|40P01|55P03|P2034)$/.test(code));
}

/** Whether a lock of another transaction failed a statement: it waited for too long, or there was a deadlock. */
export function isBlocked(error: unknown): boolean {
  return error instanceof Error && listCodes(error).some((code) => /^(40P01|55P03)$/.test(code));
}

/**
 * Whether a prepared statement was lost: its tables were changed (0A000), or a pooler assigned another server
 * connection (26000: no such statement; 42P05: the name is taken). All are detected before it runs.
 */
export function isStatementLost(error: unknown): boolean {
  return error instanceof Error && listCodes(error).some((code) => /^(0A000|26000|42P05)$/.test(code));
}

/** Whether the server does not support a statement (0A000), such as one that Citus cannot run from this node. */
export function isNotSupported(error: unknown): boolean {
  return error instanceof Error && listCodes(error).includes('0A000');
}

/**
 * Whether a connection is usable after an error: the server merely refused a statement. Classes 08, 57P, 58 and XX of
 * SQLSTATE: the connection, the server or its disk failed. Codes of Node, such as EPIPE, are not SQLSTATEs.
 */
export function leavesConnection(error: unknown): boolean {
  return (
    error instanceof Error && listCodes(error).some((code) => /^(?!08|57P|58)(\d|F0|HV|P0)[0-9A-Z]{3,4}$/.test(code))
  );
}

/** Whether a statement violated a unique constraint, as reported by the driver or by Prisma. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof Error && listCodes(error).includes('23505')) return true;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const driverError = error.meta?.['driverAdapterError'] as { cause?: { kind?: unknown } } | undefined;
  return driverError?.cause?.kind === 'UniqueConstraintViolation';
}

/** The last one is Prisma's; the one before it is that of ON DELETE RESTRICT from PostgreSQL 18 on. */
const foreignKeyCodes = ['23503', '23001', 'P2003'];

/** Whether a statement would have left a reference to a missing row. Prisma's code for this is P2003. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Error && listCodes(error).some((code) => foreignKeyCodes.includes(code));
}

/**
 * Whether a statement divided by zero, as that of `failIfDangling` (src/entries/redefinition/referenceSql.ts) does to
 * abort its transaction.
 */
export function isDivisionByZero(error: unknown): boolean {
  return error instanceof Error && listCodes(error).includes('22012');
}

/** Whether the database function `entryway_in_time` ended a statement that exceeded its time limit. */
export function isOutOfTime(error: unknown): boolean {
  return error instanceof Error && listCodes(error).includes('EW001');
}

/** Whether the server ended a statement at its timeout, or because an operator cancelled it. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && listCodes(error).includes('57014');
}

/** Whether a server refused to write because it is read-only: a standby, or by its settings. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && listCodes(error).includes('25006');
}

/** Whether the role of the connection lacks a right that a statement needs. */
export function lacksRight(error: unknown): boolean {
  return error instanceof Error && listCodes(error).includes('42501');
}

/** The driver's error, as Prisma wraps it. */
interface DriverCause {
  readonly originalCode?: unknown;
}

/**
 * Lists an error's codes: its own, and those of the driver's error that a Prisma error wraps, or that a COMMIT throws
 * unwrapped.
 */
function listCodes(error: Error): string[] {
  const { code, meta } = error as { code?: unknown; meta?: Record<string, unknown> };
  const driverError = meta?.['driverAdapterError'] as { cause?: DriverCause } | undefined;
  const cause = error.cause as DriverCause | null | undefined;
  const inner = [meta?.['code'], driverError?.cause?.originalCode, cause?.originalCode];
  return [code, ...inner].filter((value) => typeof value === 'string');
}
