// Identifies the data behind a connection, which a primary and its standby have in common.

export interface ServerIdentity {
  /** The identifier of the server and of all copies of its files. */
  readonly system: string;
  readonly database: string;
}

/** The columns of an identity. */
export const serverIdentity = `(SELECT s.system_identifier::text FROM pg_control_system() AS s) AS "system",
  current_database()::text AS "database"`;
