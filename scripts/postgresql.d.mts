/** See postgresql.mjs. */
export interface OwnServer {
  readonly url: string;
  readonly crash: () => Promise<void>;
  readonly vanish: () => Promise<void>;
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}
export function findBinaries(): string | null;
export function startServer(
  bin: string,
  options?: { isDurable?: boolean; standbyOf?: string; copyOf?: string; conf?: readonly string[] },
): Promise<OwnServer>;
export function freePort(): Promise<number>;
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined;
