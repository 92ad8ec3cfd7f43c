/**
 * The home-automation runtime on this node: follows the bus, on whichever node it runs, and sends changes to it.
 *
 * Owns this node's one subscription to the bus. It is opened on first use, because every change of the home is sent to every subscribed node,
 * and nodes without gateways and home actors do not need it. It is opened again with back-off when the bus moves or its node fails; the new
 * subscription delivers the missed changes. Boundary: the states are in `replica.ts`.
 */
import { Cause, Clock, Effect, Layer, Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import type { SecureRandom } from "effect/crypto"
import { ActorUnavailable } from "../../../protocols/domain/failure.ts"
import { InvalidEntityId } from "../../../protocols/domain/home-failure.ts"
import { isEntityId } from "../../../protocols/domain/home.ts"
import { askOrUnavailable } from "../../../protocols/messages/call-actor.ts"
import { HomeBus, homeBusId } from "../../../protocols/messages/home-bus.ts"
import { HomeEntity, LocalHomeEntities } from "../../../protocols/messages/home-entity.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { makeNewContext } from "./home-context.ts"
import { StateReplica } from "./replica.ts"

/** A subscription without any message for this long is opened again: its node may have failed. */
const silenceLimit = "5 seconds"
const backOffMsMin = 50
const backOffMsMax = 1_000
/** How long a caller waits for the replica to reach a sequence. */
const reachMsMax = 5_000
/** How long a write or removal may take: longer than the store may. */
const writeMsMax = 20_000
/** Entity clients that are cached: to make one costs more than to look it up among many. */
const clientsMax = 10_000

const busUnavailable = new ActorUnavailable({
  actor: "HomeBus",
  message: "The home-automation runtime does not answer: does a node of role home run? Try again.",
})

/** Calls an actor of the runtime; a timeout is the runtime's failure. */
const ask = <A, E, R>(actor: string, call: Effect.Effect<A, E, R>, limitMs?: number) =>
  askOrUnavailable(actor, call, busUnavailable, limitMs)

type Bus = ReturnType<Effect.Success<typeof HomeBus.client>>

/** The clients of entities by id, a bounded number of them. */
const cachedClients = <Client>(make: (entityId: string) => Client): (entityId: string) => Client => {
  const cached = new Map<string, Client>()
  return (entityId) => {
    const known = cached.get(entityId)
    if (known !== undefined) return known
    if (cached.size >= clientsMax) cached.clear()
    const client = make(entityId)
    cached.set(entityId, client)
    return client
  }
}

/** Applies the bus's stream to the replica; a stream that ends or fails is opened again, for ever. */
const followBus = Effect.fnUntraced(function* (bus: Bus, replica: StateReplica) {
  const follow = Effect.suspend(() => {
    replica.restart()
    return bus.WatchBus({ after: replica.sequence() }).pipe(
      Stream.timeout(silenceLimit),
      Stream.runForEach((news) =>
        Effect.suspend(() =>
          Effect.forEach(
            replica.apply(news),
            (thrown) => Effect.logError("a listener of the home failed", Cause.die(thrown)),
            { discard: true },
          )
        )
      ),
    )
  })
  let backOffMs = backOffMsMin
  while (true) {
    const before = replica.sequence()
    // All exits are handled alike, including defects and interruptions of the remote side.
    const exit = yield* Effect.exit(follow)
    yield* Effect.logDebug("the stream of the home bus ended and is opened again", exit)
    backOffMs = replica.sequence() === before ? Math.min(2 * backOffMs, backOffMsMax) : backOffMsMin
    yield* Effect.sleep(backOffMs)
  }
})

/** Waits, without a limit, until the replica has everything up to a sequence of the bus. */
const applied = (replica: StateReplica, sequence: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    replica.hasReached(sequence) ? Effect.void : Effect.callback<void>((resume) => {
      const cancel = replica.whenReached(sequence, () => resume(Effect.void))
      return Effect.sync(cancel)
    })
  )

/** As `applied`, for at most `reachMsMax`. */
const reached = (replica: StateReplica, sequence: number): Effect.Effect<void, ActorUnavailable> =>
  Effect.suspend(() =>
    replica.hasReached(sequence) ? Effect.void : Effect.timeoutOrElse(applied(replica, sequence), {
      duration: reachMsMax,
      orElse: () => Effect.fail(busUnavailable),
    })
  )

const make: Effect.Effect<
  HomeRuntime["Service"],
  never,
  LocalHomeEntities | SecureRandom.SecureRandom | Sharding.Sharding | Scope.Scope
> = Effect.gen(function* () {
  const bus = (yield* HomeBus.client)(homeBusId)
  const localEntities = yield* LocalHomeEntities
  const entity = cachedClients(yield* HomeEntity.client)
  const newContext = yield* makeNewContext
  const clock = yield* Clock.Clock
  const nowUs = () => Number(clock.currentTimeNanosUnsafe() / 1000n)
  const replica = new StateReplica(() => newContext(null, null), nowUs)
  const scope = yield* Effect.scope
  let follows = false
  const followed = Effect.suspend(() => {
    if (follows) return Effect.void
    follows = true
    return Effect.asVoid(Effect.forkIn(followBus(bus, replica), scope))
  })

  return HomeRuntime.of({
    replica: Effect.andThen(followed, Effect.as(reached(replica, 0), replica)),
    write: Effect.fnUntraced(function* (given, order) {
      yield* followed
      const entityId = given.toLowerCase()
      if (!isEntityId(entityId)) return yield* InvalidEntityId.now
      const writing = localEntities.to(entityId)?.(order) ?? entity(entityId).Write(order)
      // One time limit for the write and for the replica.
      const written = Effect.tap(writing, ({ sequence }) => applied(replica, sequence))
      return yield* ask(`HomeEntity ${entityId}`, written, writeMsMax)
    }),
    remove: Effect.fnUntraced(function* (given, context) {
      yield* followed
      const entityId = given.toLowerCase()
      if (!isEntityId(entityId)) return false
      const { removed, sequence } = yield* ask(
        `HomeEntity ${entityId}`,
        entity(entityId).Remove({ context }),
        writeMsMax,
      )
      yield* reached(replica, sequence)
      return removed
    }),
    fire: Effect.fnUntraced(function* (event) {
      yield* followed
      const entry = { kind: "fired" as const, event: { ...event, timeFiredUs: nowUs() } }
      const { sequence } = yield* ask("HomeBus", bus.Publish({ entry, after: 0 }), writeMsMax)
      yield* reached(replica, sequence ?? 0)
    }),
    settled: Effect.andThen(
      followed,
      Effect.flatMap(ask("HomeBus", bus.Position()), (sequence) => reached(replica, sequence)),
    ),
    context: (userId, parentId = null) => Effect.sync(() => newContext(userId, parentId)),
  })
})

export const layerHomeRuntime: Layer.Layer<
  HomeRuntime,
  never,
  LocalHomeEntities | SecureRandom.SecureRandom | Sharding.Sharding
> = Layer.effect(HomeRuntime, make)
