/**
 * The home-automation runtime on this node: follows the bus wherever it goes, and brings changes to it.
 *
 * Owns this node's one subscription to the bus: opened at once, opened again with back-off when the bus moves or its node dies; what was
 * missed meanwhile comes then. Boundary: what is known is `replica.ts`.
 */
import { Clock, Effect, Layer, Random, Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { ActorUnavailable } from "../../../protocols/domain/failure.ts"
import { InvalidEntityId } from "../../../protocols/domain/home-failure.ts"
import { type HomeContext, isEntityId } from "../../../protocols/domain/home.ts"
import { HomeBus, homeBusId } from "../../../protocols/messages/home-bus.ts"
import { HomeEntity, HomeEntityDoors } from "../../../protocols/messages/home-entity.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { ask } from "../../../gateways/calls/call-actor.ts"
import { makeReplica } from "./replica.ts"
import { ulid } from "./ulid.ts"

/** A subscription that brings nothing for this long is opened anew: its node may have died without a word. */
const silence = "5 seconds"
const backOffMsMin = 50
const backOffMsMax = 1_000
/** How long somebody waits for what the bus has to tell. */
const reachMsMax = 5_000
/** Entities whose addresses are kept: to make one costs more than a look at many. */
const addressesMax = 10_000

const busUnavailable = new ActorUnavailable({
  actor: "HomeBus",
  message: "The home-automation runtime does not answer: does a node of role home run? Try again.",
})

/** An actor that does not answer in time cannot be reached. */
const orUnavailable = <A, E extends { readonly _tag: string }, R>(
  answer: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, { readonly _tag: "AnswerTimeout" }> | ActorUnavailable, R> =>
  Effect.catch(
    answer,
    (error): Effect.Effect<never, Exclude<E, { readonly _tag: "AnswerTimeout" }> | ActorUnavailable> =>
      Effect.fail(
        error._tag === "AnswerTimeout" ? busUnavailable : error as Exclude<E, { readonly _tag: "AnswerTimeout" }>,
      ),
  )

const make: Effect.Effect<
  HomeRuntime["Service"],
  never,
  HomeEntityDoors | Sharding.Sharding | Scope.Scope
> = Effect.gen(function* () {
  const bus = (yield* HomeBus.client)(homeBusId)
  const doors = yield* HomeEntityDoors
  const makeEntity = yield* HomeEntity.client
  const addresses = new Map<string, ReturnType<typeof makeEntity>>()
  const entity = (entityId: string): ReturnType<typeof makeEntity> => {
    const known = addresses.get(entityId)
    if (known !== undefined) return known
    if (addresses.size >= addressesMax) addresses.clear()
    const made = makeEntity(entityId)
    addresses.set(entityId, made)
    return made
  }
  const clock = yield* Clock.Clock
  const random = yield* Random.Random

  const nowUs = () => Number(clock.currentTimeNanosUnsafe() / 1000n)
  const newContext = (userId: string | null, parentId: string | null): HomeContext => ({
    id: ulid(clock.currentTimeMillisUnsafe(), () => random.nextDoubleUnsafe()),
    parentId,
    userId,
  })
  const replica = makeReplica(() => newContext(null, null), nowUs)

  const follow = Effect.suspend(() => {
    replica.restart()
    return bus.WatchBus({ after: replica.sequence() }).pipe(
      Stream.timeout(silence),
      Stream.runForEach((news) => Effect.sync(() => replica.apply(news))),
    )
  })
  const keepFollowing = Effect.gen(function* () {
    let backOffMs = backOffMsMin
    while (true) {
      const before = replica.sequence()
      // Every way to end is taken, also defects and interruptions that come from the far side.
      const exit = yield* Effect.exit(follow)
      yield* Effect.logDebug("the stream of the home bus ended; it is opened again", exit)
      backOffMs = replica.sequence() === before ? Math.min(2 * backOffMs, backOffMsMax) : backOffMsMin
      yield* Effect.sleep(backOffMs)
    }
  })
  yield* Effect.forkScoped(keepFollowing)

  const isReached = (sequence: number): boolean => (replica.sequence() ?? -1) >= sequence

  /** Waits, without a bound, until this node has heard of everything up to a place on the bus. */
  const heard = (sequence: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      isReached(sequence) ? Effect.void : Effect.callback<void>((resume) => {
        const giveUp = replica.whenReached(sequence, () => resume(Effect.void))
        return Effect.sync(giveUp)
      })
    )

  /** Waits until this node has heard of everything up to a place on the bus. */
  const reached = (sequence: number): Effect.Effect<void, ActorUnavailable> =>
    Effect.suspend(() =>
      isReached(sequence)
        ? Effect.void
        : Effect.timeoutOrElse(heard(sequence), { duration: reachMsMax, orElse: () => Effect.fail(busUnavailable) })
    )

  return HomeRuntime.of({
    replica: Effect.as(reached(0), replica),
    write: Effect.fnUntraced(function* (given, order) {
      const entityId = given.toLowerCase()
      if (!isEntityId(entityId)) return yield* InvalidEntityId.now
      const writing = doors.to(entityId)?.(order) ?? entity(entityId).Write(order)
      // One bound for both waits.
      const written = Effect.tap(writing, ({ sequence }) => heard(sequence))
      return yield* orUnavailable(ask(`HomeEntity ${entityId}`, written))
    }),
    remove: Effect.fnUntraced(function* (given, context) {
      const entityId = given.toLowerCase()
      if (!isEntityId(entityId)) return false
      const { removed, sequence } = yield* orUnavailable(
        ask(`HomeEntity ${entityId}`, entity(entityId).Remove({ context })),
      )
      yield* reached(sequence)
      return removed
    }),
    fire: Effect.fnUntraced(function* (event) {
      const entry = { kind: "fired" as const, event: { ...event, timeFiredUs: nowUs() } }
      const { sequence } = yield* orUnavailable(ask("HomeBus", bus.Publish({ entry, after: 0 })))
      yield* reached(sequence ?? 0)
    }),
    settled: Effect.flatMap(orUnavailable(ask("HomeBus", bus.Position())), reached),
    context: (userId, parentId = null) => Effect.sync(() => newContext(userId, parentId)),
  })
})

export const layerHomeRuntime: Layer.Layer<HomeRuntime, never, HomeEntityDoors | Sharding.Sharding> = Layer.effect(
  HomeRuntime,
  make,
)
