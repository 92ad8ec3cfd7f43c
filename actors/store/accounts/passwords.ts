/**
 * Passwords as argon2id hashes: how they are made and compared, and how many at a time.
 *
 * Invariants: at most `runningMax` hashes are computed at once (each takes 19 MiB), and at most `waitingMax` wait; a
 * comparison costs the same whether there is a hash to compare with or not.
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

/** The hash of a password, with its parameters and its salt. */
export const hashPassword = (password: string): Effect.Effect<string, StoreUnavailable> => inTurn(() => hash(password))

/** Hash of a password that nobody has, of the same cost as any other. */
const decoy = hash("a password that nobody has")

/** Whether this is the password of a hash; without one, no, after the same work. */
export const isPassword = (
  passwordHash: string | undefined,
  password: string,
): Effect.Effect<boolean, StoreUnavailable> =>
  inTurn(async () => {
    const right = await verify(passwordHash ?? await decoy, password)
    return right && passwordHash !== undefined
  })
