/**
 * Who changes something, for its record: a caller without what they may do.
 */
import type { Principal } from "../../protocols/domain/identity.ts"
import type { ChangedBy } from "../../protocols/domain/system.ts"

/** The caller of a route that asks for a permission, and so has one. */
export const changedBy = (caller: Principal | null): ChangedBy => {
  if (caller === null) throw new Error("a route that changes something is not open to anybody")
  return { kind: caller.kind, id: caller.id, name: caller.name }
}
