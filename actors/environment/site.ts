/** The site of an environment, read from the store. */
import { Effect, Random, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { StoreUnavailable, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { trackIdMax } from "../../protocols/domain/track.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { ActivityWatch } from "./activity-watch.ts"
import { Estimator } from "./estimator.ts"
import { HopAssembler } from "./hop-assembler.ts"

/** Retries of the store before an environment is reported as not opened: 1.5 s in all. */
const openAgain = { times: 4, schedule: Schedule.exponential("100 millis") } as const

/** Reads that the store, or the connection to it, may reject for a moment. */
export const patiently = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  read: Effect.Effect<A, E, R>,
) =>
  read.pipe(
    Effect.retry({ ...openAgain, while: (error) => error._tag !== "UnknownEnvironment" }),
    Effect.mapError((error): UnknownEnvironment | StoreUnavailable =>
      error instanceof UnknownEnvironment ? error : new StoreUnavailable({ message: error.message })
    ),
  )

/** The routers of an environment and what processes their observations; read again for each session. */
export const readSite = Effect.fnUntraced(function* (environmentId: string) {
  const directory = yield* Directory
  const random = yield* Random.Random
  const secure = yield* SecureRandom.SecureRandom
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  const [environment, enrolments] = yield* patiently(
    Effect.all([directory.environment(environmentId), directory.routers]),
  )
  const routers = enrolments.filter((router) => router.environmentId === environmentId).map(({ routerId }) => routerId)
  return {
    routers,
    estimator: new Estimator(environment, null, () => 1 + Math.floor(random.nextDoubleUnsafe() * trackIdMax)),
    watch: new ActivityWatch(environment, () => run(secure.uuidV7())),
    assembler: new HopAssembler(routers),
  }
})
