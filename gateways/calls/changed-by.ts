/**
 * The author of a change, for the audit log: a caller without permissions.
 */
import type { Principal } from "../../protocols/domain/identity.ts"
import type { ChangedBy } from "../../protocols/domain/system.ts"

/** @param caller the caller of a route that requires a permission, so never null */
export const changedBy = (caller: Principal | null): ChangedBy => {
  if (caller === null) throw new Error("no caller: a route that changes something must require a permission")
  return { kind: caller.kind, id: caller.id, name: caller.name }
}
