/**
 * The Router actor of one router: turns its CSI batches into observations and hands them to its environment.
 *
 * Boundary: what a packet says is `core/signal`; where the router stands in its life is `machine.ts`.
 *
 * Invariants:
 * 1. A batch is answered after its observations have reached the environment, or wait for it, or were counted as dropped.
 * 2. A batch that comes twice counts once.
 * 3. A calibrated reference is in the store before anybody may rely on it.
 */
import { Clock, Effect } from "effect"
import { Entity } from "effect/cluster"
import type { Observation } from "../../core/signal/observation.ts"
import { Reducer } from "../../core/signal/reduce.ts"
import { UnknownRouter } from "../../protocols/domain/failure.ts"
import { decodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodeReferences, encodeReferences } from "../../protocols/grpc/reference.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { type IngestResult, Router } from "../../protocols/messages/router.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { ReferenceStore } from "../store/references.ts"
import { type Delivered, makeDelivery } from "./delivery.ts"
import { routerMachine } from "./machine.ts"

/** How long an enrolment is believed, and how long a stranger is refused, before the directory is asked again. */
const enrolledForMs = 60_000
const strangerForMs = 5_000

const build = Effect.gen(function* () {
  const { entityId: routerId } = yield* Entity.CurrentAddress
  const directory = yield* Directory
  const store = yield* ReferenceStore
  const deliver = yield* makeDelivery
  const machine = yield* runMachine(routerMachine)
  const reducer = new Reducer(routerId)
  let environmentId: string | null = null
  let lookedUpMs = -Infinity
  let calibrating = false
  let accepted = 0
  let dropped = 0
  let lastPacketMs: number | null = null
  let latest: Observation | undefined
  /** Where the stream stands: a client that resumes may send a batch again. */
  let taken = { batchSequence: -1, untilUs: -Infinity }

  const saved = yield* Effect.orDie(store.load(routerId))
  const references = saved === null ? null : decodeReferences(saved)
  if (references !== null) reducer.restore(references)
  else if (saved !== null) {
    yield* Effect.logWarning(`the saved reference of router ${routerId} cannot be read: it learns anew`)
  }

  /** The environment of this router; even a stranger costs few queries. */
  const enrolled = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs - lookedUpMs >= (environmentId === null ? strangerForMs : enrolledForMs)) {
      environmentId = yield* directory.environmentOf(routerId)
      lookedUpMs = nowMs
    }
    return environmentId ?? (yield* UnknownRouter.of(routerId))
  })

  const save = Effect.gen(function* () {
    const known = reducer.references()
    if (known.length > 0) yield* store.save(routerId, yield* Clock.currentTimeMillis, encodeReferences(known))
  })

  const endCalibration = Effect.gen(function* () {
    if (!calibrating || reducer.calibration?.done !== true) return
    calibrating = false
    const { movingHops, linksCalibrated } = reducer.calibration
    yield* save
    yield* machine.send({ type: "CALIBRATED" })
    yield* Effect.logInfo(`router ${routerId} is calibrated`, { linksCalibrated, movingHops })
  })

  return Router.of({
    Ingest: Effect.fnUntraced(function* ({ payload }) {
      const environment = yield* enrolled
      const batch = yield* Effect.fromResult(decodeCsiBatch(payload.batch))
      yield* machine.send({ type: "PACKETS" })
      lastPacketMs = yield* Clock.currentTimeMillis
      const untilUs = batch.timestampsUs.at(-1) ?? taken.untilUs
      if (batch.batchSequence <= taken.batchSequence && untilUs <= taken.untilUs) {
        return { acceptedFrames: batch.frameCount, droppedFrames: 0, dropReason: null } satisfies IngestResult
      }
      taken = { batchSequence: batch.batchSequence, untilUs }
      const left = sum(reducer.counters)
      const observations = reducer.push(batch)
      const leftOut = sum(reducer.counters) - left
      latest = observations.at(-1) ?? latest
      yield* endCalibration
      const delivered = yield* deliver(environment, observations)
      const droppedNow = delivered.outcome === "inactive" ? batch.frameCount : leftOut
      accepted += batch.frameCount - droppedNow
      dropped += droppedNow
      return {
        acceptedFrames: batch.frameCount - droppedNow,
        droppedFrames: droppedNow,
        dropReason: dropReason(delivered, leftOut, reducer.counters),
      } satisfies IngestResult
    }),
    Calibrate: Effect.fnUntraced(function* ({ payload: { seconds } }) {
      yield* enrolled
      reducer.startCalibration(seconds * 1e6)
      calibrating = true
      yield* machine.send({ type: "CALIBRATE" })
    }),
    Save: () => Effect.andThen(enrolled, save),
    Describe: Effect.fnUntraced(function* () {
      return {
        routerId,
        environmentId: yield* enrolled,
        state: machine.snapshot().value,
        packetRateHz: latest?.packetRateHz ?? null,
        packetLoss: latest?.packetLoss ?? null,
        lastPacketMs,
        acceptedFrames: accepted,
        droppedFrames: dropped,
      }
    }),
  })
})

type Counters = Reducer["counters"]

const sum = ({ invalid, late, linksFull, otherLayout, overflow }: Counters): number =>
  late + invalid + overflow + otherLayout + linksFull

const dropReason = (delivered: Delivered, leftOut: number, counters: Counters): string | null => {
  if (delivered.outcome === "inactive") return "The system is not running; start it with POST /api/v1/system/start."
  if (delivered.outcome === "held" && delivered.givenUp > 0) {
    return `The environment does not answer; ${delivered.givenUp} hops of observations were given up.`
  }
  return leftOut === 0 ? null : `CSI frames were left out: ${describe(counters)}.`
}

const describe = ({ invalid, late, linksFull, otherLayout, overflow }: Counters): string =>
  [
    [late, "late"],
    [invalid, "without a usable channel"],
    [overflow, "too many in one hop"],
    [otherLayout, "of another layout"],
    [linksFull, "of too many transmitters"],
  ].filter(([count]) => count as number > 0).map(([count, what]) => `${count} ${what}`).join(", ")

/** The Router actors of this node. */
export const layerRouter = Router.toLayer(supervise(Router, build, { concurrent: ["Describe"] }), entityOptions)
