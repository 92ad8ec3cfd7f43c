/**
 * Users: the port through which administrators keep accounts. The store answers it; edges never see a hash.
 *
 * Invariants: there is always an administrator; a user whose role or password was changed by another, and one that was
 * removed, has no sign-in left.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { AccountConflict, Role, User } from "../domain/identity.ts"

/** What changes; what is left out stays. */
export interface UserChange {
  readonly role?: Role
  readonly password?: string
}

export class Users extends Context.Service<Users, {
  readonly all: Effect.Effect<ReadonlyArray<User>, StoreUnavailable>
  readonly create: (
    username: string,
    role: Role,
    password: string,
  ) => Effect.Effect<User, AccountConflict | StoreUnavailable>
  /** Null when there is no such user. */
  readonly change: (
    userId: string,
    change: UserChange,
  ) => Effect.Effect<User | null, AccountConflict | StoreUnavailable>
  /** False when there is no such user. */
  readonly remove: (userId: string) => Effect.Effect<boolean, AccountConflict | StoreUnavailable>
  /** Sets a user's own password and ends the other sign-ins; false when `current` is not the password. */
  readonly changePassword: (
    userId: string,
    passwords: { readonly current: string; readonly next: string },
    keptSessionId: string | null,
  ) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Users") {}
