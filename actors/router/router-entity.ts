/**
 * The Router actor of one router: turns its CSI batches into observations and hands them to its environment.
 *
 * Boundary: what a packet says is `core/signal`; where the router stands in its life is `machine.ts`.
 *
 * Invariants:
 * 1. A batch is answered after its observations have reached the environment, or wait for it, or were counted as dropped.
 * 2. A batch that comes twice counts once, and it was taken the first time: its observations are with the delivery.
 * 3. A calibrated reference is in the store before anybody may rely on it.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { Entity } from "effect/cluster"
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation } from "../../core/observation/observation.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { createSourceClock } from "../../core/signal/source-clock.ts"
import { UnknownRouter } from "../../protocols/domain/failure.ts"
import { createBatchDecoder } from "../../protocols/grpc/csi-batch.ts"
import { decodeReferences, encodeReferences } from "../../protocols/grpc/reference.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import {
  type Ingest,
  type IngestDoor,
  type IngestOutcome,
  Router,
  RouterDoors,
  type RouterStatus,
} from "../../protocols/messages/router.ts"
import { makeDoors, withDoor } from "../runtime/local-calls.ts"
import { runMachine, type RunningMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { ReferenceStore } from "../store/sensing/calibrations.ts"
import { type Delivered, makeDelivery } from "./delivery.ts"
import { makeEdgeReport } from "./edge-report.ts"
import { type Counters, dropReason, leftOutCount, since } from "./dropped-frames.ts"
import { routerMachine } from "./machine.ts"
import { createNodeReadings, type DraftReading, placed } from "./node-readings.ts"

/** How long an enrolment is believed, and how long a stranger is refused, before the directory is asked again. */
const enrolledForMs = 60_000
const strangerForMs = 5_000
/** A calibration that was not saved within this time is saved again later, not with every batch. */
const saveTimeout = "2 seconds"
const saveAgainAfterMs = 5_000
/** How often the machine is told of packets while it knows of them: a move costs more than a small batch, and silence is seconds. */
const heardEveryMs = 100
/** Readings for the edge node that wait for one flush: those of a batch of many hops. */
const draftsMax = 100

/** Share of a calibration's hops with motion above which the room was not empty. */
const movingShareMax = 0.1

const build = Effect.gen(function* () {
  const { entityId: routerId } = yield* Entity.CurrentAddress
  const directory = yield* Directory
  const store = yield* ReferenceStore
  const scope = yield* Effect.scope
  const delivery = yield* makeDelivery
  const edge = yield* makeEdgeReport(routerId)
  const readings = createNodeReadings()
  const reducer = new Reducer(routerId)
  const decode = createBatchDecoder()
  const clock = createSourceClock()
  let environmentId: string | null = null
  let lookedUpMs = -Infinity
  let calibrating = false
  let saveAgainMs = -Infinity
  let acceptedFrames = 0
  let droppedFrames = 0
  let lastPacketMs: number | null = null
  let toldMs = -Infinity
  let latest: Observation | undefined
  /** Where the stream stands: a client that resumes may send a batch again. */
  let taken = { batchSequence: -1, untilUs: -Infinity }

  const saved = yield* store.load(routerId)
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

  /** Ends a calibration whose time is over; one that cannot be saved is saved with a later batch. */
  const endCalibration = Effect.gen(function* () {
    const ended = reducer.calibration
    if (!calibrating || ended?.done !== true || (yield* Clock.currentTimeMillis) < saveAgainMs) return
    yield* save.pipe(Effect.timeout(saveTimeout))
    if (reducer.calibration !== ended) return
    yield* machine.send({ type: "CALIBRATED" })
    calibrating = false
    saveAgainMs = -Infinity
    const { hops, linksCalibrated, movingHops, room } = ended
    yield* Effect.logInfo(`router ${routerId} is calibrated (${room} room)`, { linksCalibrated, hops, movingHops })
    if (room === "empty" && movingHops > movingShareMax * hops) {
      yield* Effect.logWarning(
        `something moved in ${movingHops} of ${hops} hops while router ${routerId} took the empty room: take it again`,
      )
    }
  }).pipe(Effect.catch((error) =>
    Effect.gen(function* () {
      if (saveAgainMs === -Infinity) {
        yield* Effect.logError(`the calibration of router ${routerId} is not saved yet: ${error.message}`)
      }
      saveAgainMs = (yield* Clock.currentTimeMillis) + saveAgainAfterMs
    })
  ))

  /** What the edge node is told once the environment has dealt with these observations. */
  let drafts: ReadonlyArray<DraftReading> = []
  const draft = (observations: ReadonlyArray<Observation>) => {
    const kind = reducer.layout?.format ?? "unknown"
    const read = observations.map((one) => ({ ...readings.of(one, kind), clockOffsetMs: clock.offsetMs() }))
    drafts = [...drafts, ...read].slice(-draftsMax)
  }
  /** An environment that is not active has nobody watched: then its nodes say nothing either. */
  const tellEdge = (environment: string, delivered: Delivered) =>
    Effect.suspend(() => {
      // The enrolment has changed: it is looked up again with the next batch.
      if (delivered === "removed") lookedUpMs = -Infinity
      const told = delivered === "inactive" || delivered === "removed"
        ? []
        : drafts.map((one) => placed(one, environment, delivery.room()))
      drafts = []
      return edge.tell(told)
    })

  /** Whether a batch that comes was taken before. */
  const isTaken = ({ batchSequence, timestampsUs }: CsiBatch): boolean =>
    batchSequence <= taken.batchSequence && (timestampsUs.at(-1) ?? taken.untilUs) <= taken.untilUs

  /** Reduces a batch into what waits for the environment, in one go; answers the frames that were left out. */
  const reduce = (batch: CsiBatch): Counters => {
    const before = reducer.counters
    const observations = reducer.push(batch)
    const eventUs = batch.timestampsUs.at(-1)
    if (eventUs !== undefined && lastPacketMs !== null) clock.observe(batch.source, eventUs / 1000, lastPacketMs)
    delivery.add(observations)
    draft(observations)
    latest = observations.at(-1) ?? latest
    // Last, so that a batch that breaks on the way here is not taken for one that was dealt with.
    taken = { batchSequence: batch.batchSequence, untilUs: batch.timestampsUs.at(-1) ?? taken.untilUs }
    return since(before, reducer.counters)
  }

  /** After a silence no packet ends the last hop: it ends by itself, unless packets have come again. */
  const endLastHop = Effect.fnUntraced(function* (untilUs: number) {
    const observations = reducer.flush(untilUs)
    delivery.add(observations)
    draft(observations)
    latest = observations.at(-1) ?? latest
    yield* endCalibration
    const environment = yield* enrolled
    yield* tellEdge(environment, yield* delivery.flush(environment))
  }, Effect.catchCause((cause) => Effect.logWarning(`the last hop of router ${routerId} waits for packets`, cause)))

  /** Packets have come at this time. */
  const heard = (nowMs: number) => {
    lastPacketMs = nowMs
    const state = machine.snapshot().value
    const isKnown = state === "streaming" || state === "calibrating"
    if (isKnown && nowMs >= toldMs && nowMs < toldMs + heardEveryMs) return Effect.void
    toldMs = nowMs
    return machine.send({ type: "PACKETS" })
  }

  const machine: RunningMachine<typeof routerMachine> = yield* runMachine(routerMachine, {
    perform: (action) =>
      action.type === "endLastHop" && taken.untilUs >= 0
        ? Effect.asVoid(Effect.forkIn(endLastHop((hopOf(taken.untilUs) + 1) * hopUs), scope))
        : Effect.void,
  })

  return Router.of({
    Ingest: Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof Ingest.payloadSchema.Type }) {
      const environment = yield* enrolled
      const read = payload.batches.map(decode)
      if (read.every(Result.isFailure)) return read.map(({ failure }) => failure)
      yield* heard(yield* Clock.currentTimeMillis)
      const givenUpBefore = delivery.givenUpHops()
      const reduced = read.map(Result.map((batch) => ({ batch, leftOut: isTaken(batch) ? null : reduce(batch) })))
      yield* endCalibration
      const delivered = yield* delivery.flush(environment)
      yield* tellEdge(environment, delivered)
      const givenUpHops = delivery.givenUpHops() - givenUpBefore
      return reduced.map((one): IngestOutcome => {
        if (Result.isFailure(one)) return one.failure
        const { batch: { frameCount }, leftOut } = one.success
        if (leftOut === null) return { acceptedFrames: frameCount, droppedFrames: 0, dropReason: null }
        const dropped = delivered === "inactive" || delivered === "removed" ? frameCount : leftOutCount(leftOut)
        acceptedFrames += frameCount - dropped
        droppedFrames += dropped
        return {
          acceptedFrames: frameCount - dropped,
          droppedFrames: dropped,
          dropReason: dropReason(delivered, givenUpHops, leftOut),
        }
      })
    }),
    Calibrate: Effect.fnUntraced(function* ({ payload: { room, seconds } }) {
      yield* enrolled
      reducer.startCalibration(room, seconds * 1e6)
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
        lastEventMs: taken.untilUs < 0 ? null : taken.untilUs / 1000,
        clockOffsetMs: clock.offsetMs(),
        transmitterIds: reducer.transmitterIds,
        acceptedFrames,
        droppedFrames,
        givenUpHops: delivery.givenUpHops(),
        channel: channelOf(reducer.layout),
        counters: reducer.counters,
        calibration: calibrationOf(reducer),
      }
    }),
  })
})

const channelOf = (layout: RadioLayout | null): RouterStatus["channel"] =>
  layout === null ? null : {
    format: layout.format,
    centerFrequencyHz: layout.centerFrequencyHz,
    bandwidthHz: layout.bandwidthHz,
    receiveAntennas: layout.receiveAntennas,
    subcarriers: layout.subcarrierIndices.length,
  }

const calibrationOf = (reducer: Reducer): RouterStatus["calibration"] => {
  const { takenAtUs, ...status } = reducer.calibrationStatus()
  const run = reducer.calibration
  return {
    ...status,
    takenAtMs: takenAtUs === null ? null : takenAtUs / 1000,
    running: run === null || run.done ? null : {
      room: run.room,
      progress: run.elapsedUs / run.durationUs,
      movingShare: run.hops === 0 ? null : run.movingHops / run.hops,
    },
  }
}

/** A router that is placed here: its supervised handlers, and a door for the edges of its node. */
const withDoorway = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const handlers = yield* supervise(Router, build, { concurrent: ["Describe"] })
  const { byMessage, inTurn } = yield* withDoor(
    yield* RouterDoors,
    entityId,
    (batches: typeof Ingest.payloadSchema.Type["batches"]) => handlers.Ingest({ payload: { batches } }),
  )
  return Router.of({
    ...handlers,
    Ingest: ({ payload }) => byMessage(payload.batches),
    Calibrate: (message) => inTurn(handlers.Calibrate(message)),
    Save: () => inTurn(handlers.Save()),
  })
})

/** The ways to the routers of this node. */
export const layerRouterDoors: Layer.Layer<RouterDoors> = Layer.sync(RouterDoors, () => makeDoors<IngestDoor>())

/** The Router actors of this node. */
export const layerRouter = Router.toLayer(withDoorway, entityOptions)
