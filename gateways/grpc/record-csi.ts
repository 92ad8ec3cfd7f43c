/**
 * `CsiRecordingService.RecordCsi`: copies of the batches that the routers of one environment take.
 *
 * Boundary: the routers copy (`actors/router/router-taps.ts`); `handlers.ts` admits administrators only.
 *
 * Invariants:
 * 1. No batch is sent unless the privacy settings allow it at that moment, and the class of no router of the room is restricted.
 * 2. The log names who recorded which environment, from when to when.
 * 3. What is lost is counted: by the tap of a router, or as an interruption while a router could not be followed.
 */
import { Effect, Queue, type Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { nameOfClass, privacyClasses } from "../../core/privacy/privacy-class.ts"
import { ActorUnavailable, SwitchedOff } from "../../protocols/domain/failure.ts"
import type { PrivacySettings } from "../../protocols/domain/configuration.ts"
import type { Principal } from "../../protocols/domain/identity.ts"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { encodeRecordedCsi } from "../../protocols/grpc/recorded-csi.ts"
import { Router } from "../../protocols/messages/router.ts"
import { InvalidRequest } from "../../protocols/pose-api/edge-failures.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { ClassRefused } from "../../protocols/ports/edge-feed.ts"
import { Privacy } from "../../protocols/ports/privacy.ts"
import { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"
import { readRequest } from "./calls.ts"
import type { CallFailure } from "./status.ts"

/** Messages that wait for the client. Beyond this the taps wait, and then lose batches. */
const waitingMax = 64
/** A tap without a message for this long is opened again: it repeats itself every 5 s. */
const silence = "12 seconds"
const backOffMs = 500
const openingMax = "10 seconds"

type Needs = Directory | Privacy | PrivacyClasses | Sharding.Sharding

/** The encoded answers to an encoded request of a caller. */
export type RecordCsi = (request: Uint8Array, caller: Principal) => Stream.Stream<Uint8Array, CallFailure>

const anonymised = new SwitchedOff({
  setting: "privacy.anonymize_data",
  message:
    "CSI is not recorded while privacy.anonymize_data is on, because CSI shows more of a person than what is removed.",
})

/** Fails unless the settings allow a recording. */
const checkSettings = ({ anonymizeData, csiRecordingEnabled }: PrivacySettings): Effect.Effect<void, SwitchedOff> => {
  if (!csiRecordingEnabled) {
    return Effect.fail(SwitchedOff.of("The recording of CSI", "privacy.csi_recording_enabled"))
  }
  return anonymizeData ? Effect.fail(anonymised) : Effect.void
}

/** Fails if the operator restricts a router of the room. */
const checkClasses = (
  classes: PrivacyClasses["Service"],
  routerIds: ReadonlyArray<string>,
): Effect.Effect<void, ClassRefused> => {
  const nodeId = routerIds.find((id) => classes.of(id) === privacyClasses.restricted)
  if (nodeId === undefined) return Effect.void
  const privacyClass = classes.of(nodeId)
  const reason = `Its privacy class is ${
    nameOfClass(privacyClass)
  }: its CSI is not recorded. See WAVEPOSE_PRIVACY_CLASS.`
  return Effect.fail(ClassRefused.of(nodeId, { privacyClass, destination: "grpc", reason }))
}

/** The environment that a request names, or the only one; with its routers. */
const recordedEnvironment = Effect.fnUntraced(function* (named: string | undefined) {
  const directory = yield* Directory
  const ids = (yield* directory.environments).map(({ environmentId }) => environmentId)
  if (named === undefined && ids.length !== 1) {
    return yield* InvalidRequest.of(
      "environment_id",
      `is needed: the service has ${ids.toSorted().join(", ") || "none"}`,
    )
  }
  const environmentId = named ?? ids[0]!
  yield* directory.environment(environmentId)
  const routers = (yield* directory.routers).filter((router) => router.environmentId === environmentId)
  return { environmentId, routerIds: routers.map(({ routerId }) => routerId).toSorted() }
})

/** What the taps of one recording have passed on and lost. */
interface Tally {
  batches: number
  lost: number
  interruptions: number
}

/** Passes the batches of a router on, over restarts and moves of its actor, until it is interrupted. */
const follow = Effect.fnUntraced(function* (
  client: Effect.Success<typeof Router.client>,
  routerId: string,
  tally: Tally,
  to: { readonly opened: () => void; readonly offer: (batch: Uint8Array) => Effect.Effect<unknown> },
) {
  while (true) {
    let lostBefore = 0
    yield* client(routerId).Tap().pipe(
      Stream.timeout(silence),
      Stream.runForEach(({ batch, lost }) => {
        tally.lost += lost - lostBefore
        lostBefore = lost
        to.opened()
        return batch === null ? Effect.void : to.offer(batch)
      }),
      Effect.catchCause((cause) => Effect.logDebug(`tap of router ended id=${routerId}`, cause)),
    )
    tally.interruptions++
    yield* Effect.sleep(backOffMs)
  }
})

const notTapped = (waiting: Iterable<string>): ActorUnavailable => {
  const actor = `router ${[...waiting].join(", ")}`
  return new ActorUnavailable({ actor, message: `${actor} cannot be reached at the moment. Try again.` })
}

/** The batches of all routers in one queue; returns when every router is tapped. */
const followAll = Effect.fnUntraced(function* (
  routerIds: ReadonlyArray<string>,
  tally: Tally,
): Effect.fn.Return<Queue.Queue<Uint8Array>, ActorUnavailable, Scope.Scope | Sharding.Sharding> {
  const client = yield* Router.client
  const batches = yield* Queue.bounded<Uint8Array>(waitingMax)
  const waiting = new Set(routerIds)
  const tapped = Promise.withResolvers<void>()
  if (waiting.size === 0) tapped.resolve()
  for (const routerId of routerIds) {
    const opened = () => {
      if (waiting.delete(routerId) && waiting.size === 0) tapped.resolve()
    }
    yield* Effect.forkScoped(follow(client, routerId, tally, { opened, offer: (batch) => Queue.offer(batches, batch) }))
  }
  yield* Effect.promise(() => tapped.promise).pipe(
    Effect.timeoutOrElse({ duration: openingMax, orElse: () => Effect.fail(notTapped(waiting)) }),
  )
  return batches
})

export const makeRecordCsi: Effect.Effect<RecordCsi, never, Needs> = Effect.gen(function* () {
  const services = yield* Effect.context<Needs>()
  const classes = yield* PrivacyClasses
  const request = codecOf("RecordCsiRequest")
  const allowed = Effect.flatMap((yield* Privacy).current, checkSettings)

  const record = Effect.fnUntraced(function* (named: string | undefined, { id, kind, name }: Principal) {
    yield* allowed
    const { environmentId, routerIds } = yield* recordedEnvironment(named)
    yield* checkClasses(classes, routerIds)
    const tally: Tally = { batches: 0, lost: 0, interruptions: 0 }
    const audit = { environment: environmentId, by: name, by_kind: kind, by_id: id }
    yield* Effect.logInfo("recording of CSI began", { ...audit, routers: routerIds.join(",") })
    yield* Effect.addFinalizer(() => Effect.logInfo("recording of CSI ended", { ...audit, ...tally }))
    const batches = yield* followAll(routerIds, tally)
    const encode = (batch: Uint8Array | null) =>
      encodeRecordedCsi({
        environmentId: batch === null ? environmentId : "",
        routerIds: batch === null ? routerIds : [],
        batch,
        lostBatches: tally.lost,
        interruptions: tally.interruptions,
      })
    const recorded = Stream.mapEffect(Stream.fromQueue(batches), (batch) =>
      Effect.map(allowed, () => {
        tally.batches++
        return encode(batch)
      }))
    return Stream.concat(Stream.succeed(encode(null)), recorded)
  })

  return (bytes, caller) =>
    Stream.unwrap(Effect.gen(function* () {
      const { environment_id: named } = yield* readRequest(request.decode, bytes)
      return yield* record(named as string | undefined, caller)
    })).pipe(Stream.provide(services))
})
