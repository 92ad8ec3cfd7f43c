/**
 * Users: the port through which administrators manage accounts. The store implements it; edges never see a hash.
 *
 * Invariants: there is always an administrator. Removing a user, or changing the role or password of another user, ends all
 * sign-ins of that user.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { AccountConflict, Role, User } from "../domain/identity.ts"

/** The fields to change. Absent fields stay. */
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
  /** Null if the user does not exist. */
  readonly change: (
    userId: string,
    change: UserChange,
  ) => Effect.Effect<User | null, AccountConflict | StoreUnavailable>
  /** False if the user does not exist. */
  readonly remove: (userId: string) => Effect.Effect<boolean, AccountConflict | StoreUnavailable>
  /** Sets a user's own password and ends the other sign-ins. False if `current` is not the password. */
  readonly changePassword: (
    userId: string,
    passwords: { readonly current: string; readonly next: string },
    keptSessionId: string | null,
  ) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Users") {}
