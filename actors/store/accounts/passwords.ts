/**
 * Hashes and verifies passwords with argon2id, and bounds the number of concurrent hashes.
 *
 * Invariants: at most `runningMax` hashes are computed at once (each takes 19 MiB), and at most `waitingMax` wait. A
 * comparison costs the same with and without a stored hash.
 */
import { hash, verify } from "@node-rs/argon2"
import { Effect, Semaphore } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"

const runningMax = 2
const waitingMax = 64

const permits = Semaphore.makeUnsafe(runningMax)
let waiting = 0

const busy = new StoreUnavailable({ message: "Too many passwords are being checked. Try again shortly." })

const inTurn = <A>(work: () => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  Effect.suspend(() => {
    if (waiting >= waitingMax) return Effect.fail(busy)
    waiting++
    return Effect.ensuring(permits.withPermits(1)(Effect.promise(work)), Effect.sync(() => void waiting--))
  })

/** The hash of a password, with its parameters and salt. */
export const hashPassword = (password: string): Effect.Effect<string, StoreUnavailable> => inTurn(() => hash(password))

/** A hash that matches no password and costs as much as any other. */
const decoy = hash("a password of no account")

/** Whether the password matches the hash. Without a hash the answer is false, after the same work. */
export const isPassword = (
  passwordHash: string | undefined,
  password: string,
): Effect.Effect<boolean, StoreUnavailable> =>
  inTurn(async () => {
    const right = await verify(passwordHash ?? await decoy, password)
    return right && passwordHash !== undefined
  })
