/** The site of an environment, read from the store, and how a session follows a change of it. */
import { Effect, Random, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ActivityEvent } from "../../protocols/domain/event.ts"
import { StoreUnavailable, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { trackIdMax, type TrackRecord } from "../../protocols/domain/track.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { ActivityWatch } from "./activity-watch.ts"
import { Estimator } from "./estimator.ts"
import { HopAssembler } from "./hop-assembler.ts"

/** Retries of the store before an environment is reported as not opened: 1.5 s in all. */
const storeRetries = { times: 4, schedule: Schedule.exponential("100 millis") } as const

/** Retries a read that the store, or the connection to it, rejects for a moment. */
export const withRetries = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  read: Effect.Effect<A, E, R>,
) =>
  read.pipe(
    Effect.retry({ ...storeRetries, while: (error) => error._tag !== "UnknownEnvironment" }),
    Effect.mapError((error): UnknownEnvironment | StoreUnavailable =>
      error instanceof UnknownEnvironment ? error : new StoreUnavailable({ message: error.message })
    ),
  )

/** An environment and the parts that work on it. */
export type Site = Effect.Success<ReturnType<typeof readSite>>

/** Whether two values of an environment are equal. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

interface Continued {
  readonly site: Site
  /** Tracks that end, because the geometry has changed. */
  readonly ended: ReadonlyArray<TrackRecord>
  /** What ends in the watch, because the zones have changed. */
  readonly events: ReadonlyArray<ActivityEvent>
}

/** The site as it was read again, in a session that continues: parts whose data did not change stay, and so do incidents. */
export const continueSite = (current: Site, read: Site): Continued => {
  const { assembler, environment: { geometry, zones }, watch } = current
  const relocated = !isSame(geometry, read.environment.geometry)
  if (relocated) read.estimator.replace(current.estimator)
  const events = isSame(zones, read.environment.zones) ? [] : watch.useZones(read.environment.zones ?? [])
  assembler.enrol(read.routers)
  const site = { ...read, assembler, watch, estimator: (relocated ? read : current).estimator }
  return { site, ended: relocated ? current.estimator.trackRecords : [], events }
}

/** The routers of an environment and what processes their observations; read again for each session and after a change. */
export const readSite = Effect.fnUntraced(function* (environmentId: string) {
  const directory = yield* Directory
  const random = yield* Random.Random
  const secure = yield* SecureRandom.SecureRandom
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  const [environment, enrolments] = yield* withRetries(
    Effect.all([directory.environment(environmentId), directory.routers], { concurrency: "unbounded" }),
  )
  const routers = enrolments.filter((router) => router.environmentId === environmentId).map(({ routerId }) => routerId)
  return {
    environment,
    routers,
    estimator: new Estimator(environment, null, () => 1 + Math.floor(random.nextDoubleUnsafe() * trackIdMax)),
    watch: new ActivityWatch(environment, () => run(secure.uuidV7())),
    assembler: new HopAssembler(routers),
  }
})
