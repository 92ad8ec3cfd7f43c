/**
 * The enrolment of a router: its environment, looked up in the directory and remembered for a while.
 *
 * Invariant: a router that is not enrolled costs one query in `unknownForMs`, one that is enrolled one query in `enrolledForMs`.
 */
import { Clock, Effect } from "effect"
import { type StoreUnavailable, UnknownRouter } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"

const enrolledForMs = 60_000
const unknownForMs = 5_000

interface Enrolment {
  /** The environment of the router. */
  readonly environmentId: Effect.Effect<string, UnknownRouter | StoreUnavailable>
  /** Makes the next use look the enrolment up again. */
  readonly expire: () => void
}

export const makeEnrolment = Effect.fnUntraced(function* (routerId: string) {
  const directory = yield* Directory
  let found: string | null = null
  let lookedUpMs = -Infinity
  const enrolment: Enrolment = {
    environmentId: Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs - lookedUpMs >= (found === null ? unknownForMs : enrolledForMs)) {
        found = yield* directory.environmentOf(routerId)
        lookedUpMs = nowMs
      }
      return found ?? (yield* UnknownRouter.of(routerId))
    }),
    expire: () => void (lookedUpMs = -Infinity),
  }
  return enrolment
})
