// The operator's name in the audit log (docs/contract.md §13.6).
import { userInfo } from 'node:os';

/** The name of the user of the operating system: of the command, or of the service that runs it for its owner. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
