/**
 * The enrolment of a router: its environment, looked up in the directory and remembered for a while.
 *
 * Invariants:
 * 1. A router that is not enrolled costs one query in `unknownForMs`, one that is enrolled one query in `enrolledForMs`.
 * 2. A router that is enrolled waits for no query: it keeps its environment until the store answers.
 */
import { Effect } from "effect"
import { StoreUnavailable, UnknownRouter } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { monotonicMs } from "../runtime/monotonic.ts"

const enrolledForMs = 60_000
const unknownForMs = 5_000
const lookUpTimeoutMs = 2_000

interface Enrolment {
  /** The environment of the router. */
  readonly environmentId: Effect.Effect<string, UnknownRouter | StoreUnavailable>
  /** Forgets the environment, which may be another one now: the next use waits until it is looked up again. */
  readonly expire: () => void
}

/** Makes the enrolment of a router, which lives as long as the scope in context. */
export const makeEnrolment = Effect.fnUntraced(function* (routerId: string) {
  const directory = yield* Directory
  const scope = yield* Effect.scope
  let found: string | null = null
  let lookedUpMs = -Infinity
  /** Counts look-ups and expiries: an answer from before the last of them is not kept. */
  let asks = 0

  const lookUp = Effect.fnUntraced(function* (nowMs: number) {
    const asked = ++asks
    const answer = yield* Effect.timeoutOrElse(directory.environmentOf(routerId), {
      duration: lookUpTimeoutMs,
      orElse: () => Effect.fail(StoreUnavailable.silentFor(lookUpTimeoutMs)),
    })
    if (asked === asks) {
      found = answer
      lookedUpMs = nowMs
    }
    return answer
  })
  /** Looks a known environment up again, beside the call that uses it. */
  const refresh = (nowMs: number) => {
    lookedUpMs = nowMs
    return Effect.forkIn(Effect.ignore(lookUp(nowMs)), scope, { startImmediately: true })
  }

  const enrolment: Enrolment = {
    environmentId: Effect.gen(function* () {
      const nowMs = yield* monotonicMs
      const known = found
      if (known !== null) {
        if (nowMs - lookedUpMs >= enrolledForMs) yield* refresh(nowMs)
        return known
      }
      const answer = nowMs - lookedUpMs >= unknownForMs ? yield* lookUp(nowMs) : null
      return answer ?? (yield* UnknownRouter.of(routerId))
    }),
    expire: () => {
      asks++
      found = null
      lookedUpMs = -Infinity
    },
  }
  return enrolment
})
