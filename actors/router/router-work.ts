/**
 * The work of a Router actor: takes batches, reduces them and delivers the observations.
 *
 * Boundary: `core/reduction` evaluates the packets; the life of the router is `machine.ts`.
 *
 * Invariants:
 * 1. A batch is answered after its observations have reached the environment, or wait for it, or were counted as dropped. While the router
 *    moves to another node, none waits: the batch is not taken.
 * 2. A batch that arrives twice counts once. It was accepted the first time: its observations are with the delivery.
 */
import { Clock, Effect, Metric, Result, type Scope, Stream } from "effect"
import { hopUs } from "../../core/observation/observation.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { readsSpectraLess } from "../../core/pace/effort.ts"
import type { CalibratedRoom } from "../../core/signal/calibration-run.ts"
import { droppedCount } from "../../core/reduction/reducer-counters.ts"
import { createBatchDecoder } from "../../protocols/grpc/csi-batch.ts"
import type { InvalidBatch } from "../../protocols/domain/failure.ts"
import type { IngestOutcome, RouterStatus } from "../../protocols/messages/router.ts"
import { CurrentFrameTracer, type FrameTracer } from "../../protocols/ports/frame-trace.ts"
import { KeepsPace } from "../../protocols/ports/keeps-pace.ts"
import { CurrentLoadMeter, type LoadMeter } from "../runtime/load-meter.ts"
import { runMachine, type RunningMachine } from "../runtime/machine.ts"
import { BatchReduction } from "./batch-reduction.ts"
import { type Delivered, Delivery } from "./delivery.ts"
import { makeDeparture, moves } from "./departure.ts"
import { type Counters, dropReason, shedReason } from "./dropped-frames.ts"
import { makeEdgeReport } from "./edge-report.ts"
import { makeEnrolment } from "./enrolment.ts"
import { routerMachine } from "./machine.ts"
import { placed } from "./node-readings.ts"
import { RouterCalibration } from "./router-calibration.ts"
import { calibrationOf, channelOf } from "./router-status.ts"
import { RouterTaps } from "./router-taps.ts"

/** Minimum interval of the machine's events about packets: a transition costs more than a small batch, and silence lasts seconds. */
const notifyIntervalMs = 100

/** Counts for all routers of this process, so that it survives their moves. */
const shedFrames = Metric.counter("wavepose_router_frames_shed_total", {
  description: "CSI frames that the routers of this node dropped to stay in real time.",
  incremental: true,
})

/** Time limit for an ending actor to save what it has learned. */
const handOverTimeout = "500 millis"

/** The parts of a router's work. */
interface Parts {
  readonly routerId: string
  readonly enrolment: Effect.Success<ReturnType<typeof makeEnrolment>>
  readonly delivery: Delivery
  readonly edge: Effect.Success<ReturnType<typeof makeEdgeReport>>
  readonly reduction: BatchReduction
  readonly calibration: RouterCalibration
  readonly taps: RouterTaps
  readonly scope: Scope.Scope
  readonly keepsPace: boolean
  readonly tracer: FrameTracer | null
  readonly meter: LoadMeter
  readonly departure: Effect.Success<ReturnType<typeof makeDeparture>>
}

/** The outcome of a batch. */
type Taken =
  & { readonly frameCount: number }
  & (
    /** It arrived before, and was accepted then. */
    | { readonly kind: "repeated" }
    /** It was left out to stay in real time. */
    | { readonly kind: "shed" }
    | { readonly kind: "reduced"; readonly dropped: Counters }
  )

const shedFramesOf = (taken: Result.Result<Taken, unknown>): number =>
  Result.isSuccess(taken) && taken.success.kind === "shed" ? taken.success.frameCount : 0

export class RouterWork {
  /** Starts the work of a router from its persisted state. */
  static readonly start = Effect.fnUntraced(function* (routerId: string) {
    const reduction = new BatchReduction(routerId)
    const [enrolment, delivery] = [yield* makeEnrolment(routerId), yield* Delivery.make]
    const work = new RouterWork({
      routerId,
      enrolment,
      delivery,
      departure: yield* makeDeparture({ routerId, enrolment, delivery, reduction }),
      edge: yield* makeEdgeReport(routerId),
      reduction,
      calibration: yield* RouterCalibration.restore(routerId, reduction.reducer),
      taps: yield* RouterTaps.make,
      scope: yield* Effect.scope,
      keepsPace: yield* KeepsPace,
      tracer: yield* CurrentFrameTracer,
      meter: yield* CurrentLoadMeter,
    })
    yield* Effect.addFinalizer(() => work.#handOver)
    work.#machine = yield* runMachine(routerMachine, {
      perform: (action) => action.type === "endLastHop" ? work.#forkLastHop : Effect.void,
    })
    return work
  })

  readonly #parts: Parts
  readonly #decode = createBatchDecoder()
  #machine!: RunningMachine<typeof routerMachine>
  #acceptedFrames = 0
  #droppedFrames = 0
  #shedFrames = 0
  #lastPacketMs: number | null = null
  #notifiedMs = -Infinity
  /** Hops that the current call completed. */
  #reducedHops: ReadonlyArray<number> = []

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Takes batches in their order, as objects or encoded. */
  readonly ingest = Effect.fnUntraced({ self: this }, function* (batches: ReadonlyArray<CsiBatch | Uint8Array>) {
    const { delivery, departure, enrolment, reduction } = this.#parts
    if (departure.hasLeft()) return yield* moves
    const environmentId = yield* enrolment.environmentId
    const decodeNs = yield* Clock.currentTimeNanos
    const read = batches.map((batch) => batch instanceof Uint8Array ? this.#decode(batch) : Result.succeed(batch))
    if (read.every(Result.isFailure)) return read.map(({ failure }): IngestOutcome => failure)
    yield* this.#notePackets(yield* Clock.currentTimeMillis)
    const reduceNs = yield* Clock.currentTimeNanos
    const droppedHopsBefore = delivery.droppedHops
    reduction.reducer.readsSeldom = readsSpectraLess(delivery.effort)
    const newest = read.findLast(Result.isSuccess)!.success
    const taken = read.map((one) => Result.map(one, (batch) => this.#take(batch, newest)))
    const shed = taken.reduce((sum, one) => sum + shedFramesOf(one), 0)
    if (shed > 0) yield* Metric.update(shedFrames, shed)
    const endNs = yield* Clock.currentTimeNanos
    this.#parts.meter.add(environmentId, Number(endNs - decodeNs) / 1e6)
    this.#trace(environmentId, decodeNs, reduceNs, endNs)
    yield* this.#endCalibration()
    const delivered = yield* delivery.flush(environmentId)
    // What waits here would be lost with the move: the sender gives the batches to the next activation.
    if (delivered === "held" && departure.isMoving()) return yield* moves
    yield* this.#reportToEdge(environmentId, delivered)
    const droppedHops = delivery.droppedHops - droppedHopsBefore
    return taken.map((one) => this.#outcomeOf(one, delivered, droppedHops))
  })

  /** Starts one side of a calibration. */
  readonly calibrate = Effect.fnUntraced({ self: this }, function* (room: CalibratedRoom, seconds: number) {
    yield* this.#parts.enrolment.environmentId
    this.#parts.calibration.start(room, seconds)
    yield* this.#machine.send({ type: "CALIBRATE" })
  })

  /** Writes the references to the store. */
  readonly save = Effect.suspend(() =>
    Effect.andThen(this.#parts.enrolment.environmentId, this.#parts.calibration.save)
  )

  /** Keeps what was learned for the node that continues: a reference takes minutes to learn. */
  readonly #handOver = Effect.suspend(() => {
    const { departure, reduction } = this.#parts
    const save = reduction.latest === null ? Effect.void : Effect.ignore(Effect.timeout(this.save, handOverTimeout))
    return Effect.andThen(departure.leave, save)
  })

  /** Copies of the batches from now on. */
  readonly tap = Stream.unwrap(
    Effect.suspend(() => Effect.as(this.#parts.enrolment.environmentId, this.#parts.taps.open)),
  )

  /** Looks the enrolment up again with the next batch. */
  readonly forgetEnrolment = Effect.sync(() => this.#parts.enrolment.expire())

  readonly describe = Effect.fnUntraced({ self: this }, function* () {
    const { delivery, enrolment, reduction, routerId } = this.#parts
    const { latest, reducer } = reduction
    const status: RouterStatus = {
      routerId,
      environmentId: yield* enrolment.environmentId,
      state: this.#machine.snapshot().value,
      packetRateHz: latest?.packetRateHz ?? null,
      packetLoss: latest?.packetLoss ?? null,
      lastPacketMs: this.#lastPacketMs,
      lastEventMs: reduction.lastEventMs,
      clockOffsetMs: reduction.clockOffsetMs,
      clockLagMs: reduction.clockLagMs,
      transmitterIds: reducer.transmitterIds,
      acceptedFrames: this.#acceptedFrames,
      droppedFrames: this.#droppedFrames,
      shedFrames: this.#shedFrames,
      givenUpHops: delivery.droppedHops,
      channel: channelOf(reducer.layout),
      counters: reducer.counters,
      calibration: calibrationOf(reducer),
    }
    return status
  })

  /** Notes that packets arrived at this time, and notifies the machine if it is due. */
  #notePackets(nowMs: number): Effect.Effect<unknown> {
    this.#lastPacketMs = nowMs
    const state = this.#machine.snapshot().value
    const isKnown = state === "streaming" || state === "calibrating"
    const notifiedMs = this.#notifiedMs
    if (isKnown && nowMs >= notifiedMs && nowMs < notifiedMs + notifyIntervalMs) return Effect.void
    this.#notifiedMs = nowMs
    return this.#machine.send({ type: "PACKETS" })
  }

  /**
   * Reduces a batch, unless it was taken before, or is too old beside the newest one that waits. Its observations wait for the next flush of
   * the delivery.
   */
  #take(batch: CsiBatch, newest: CsiBatch): Taken {
    const { delivery, reduction, taps } = this.#parts
    const { frameCount } = batch
    if (reduction.isTaken(batch)) return { frameCount, kind: "repeated" }
    taps.offer(batch)
    if (this.#parts.keepsPace && reduction.isOvertaken(batch, newest, this.#lastPacketMs!)) {
      this.#shedFrames += frameCount
      reduction.leaveOut(batch)
      return { frameCount, kind: "shed" }
    }
    const { dropped, observations } = reduction.reduce(batch, this.#lastPacketMs!)
    delivery.add(observations)
    this.#reducedHops = [...this.#reducedHops, ...observations.map(({ hop }) => hop)]
    return { frameCount, kind: "reduced", dropped }
  }

  /** Adds the spans of the hops that the batches of this call completed. */
  #trace(environmentId: string, decodeNs: bigint, reduceNs: bigint, endNs: bigint): void {
    const { routerId, tracer } = this.#parts
    const hops = this.#reducedHops
    this.#reducedHops = []
    if (tracer === null) return
    for (const hop of hops) {
      const frame = { environmentId, timestampMs: ((hop + 1) * hopUs) / 1000 }
      if (!tracer.isSampled(frame)) continue
      const attributes = { router_id: routerId }
      tracer.add(frame, { stage: "decode", startNs: decodeNs, endNs: reduceNs, attributes })
      tracer.add(frame, { stage: "reduce", startNs: reduceNs, endNs, attributes })
    }
  }

  /** Counts a batch and returns its outcome. */
  #outcomeOf(one: Result.Result<Taken, InvalidBatch>, delivered: Delivered, droppedHops: number): IngestOutcome {
    if (Result.isFailure(one)) return one.failure
    const { frameCount } = one.success
    if (one.success.kind === "repeated") return { acceptedFrames: frameCount, droppedFrames: 0, dropReason: null }
    if (one.success.kind === "shed") {
      this.#droppedFrames += frameCount
      return { acceptedFrames: 0, droppedFrames: frameCount, dropReason: shedReason }
    }
    const { dropped } = one.success
    const droppedFrames = delivered === "inactive" || delivered === "removed" ? frameCount : droppedCount(dropped)
    const acceptedFrames = frameCount - droppedFrames
    this.#acceptedFrames += acceptedFrames
    this.#droppedFrames += droppedFrames
    return { acceptedFrames, droppedFrames, dropReason: dropReason(delivered, droppedHops, dropped) }
  }

  #endCalibration(): Effect.Effect<unknown> {
    return Effect.flatMap(
      this.#parts.calibration.end(),
      (ended) => ended ? this.#machine.send({ type: "CALIBRATED" }) : Effect.void,
    )
  }

  /** Sends the readings to the edge node. While an environment is not active, its nodes report nothing. */
  #reportToEdge(environmentId: string, delivered: Delivered): Effect.Effect<void> {
    const { delivery, edge, enrolment, reduction } = this.#parts
    const drafts = reduction.takeDrafts()
    // The enrolment has changed: it is looked up again with the next batch.
    if (delivered === "removed") enrolment.expire()
    if (delivered === "inactive" || delivered === "removed") return Effect.void
    return edge.send(drafts.map((draft) => placed(draft, environmentId, delivery.room)))
  }

  readonly #forkLastHop = Effect.suspend(() => Effect.asVoid(Effect.forkIn(this.#endLastHop(), this.#parts.scope)))

  /** After a silence no packet ends the last hop: it is ended here. */
  readonly #endLastHop = Effect.fnUntraced({ self: this }, function* () {
    const { delivery, enrolment, reduction } = this.#parts
    delivery.add(reduction.endLastHop())
    yield* this.#endCalibration()
    const environmentId = yield* enrolment.environmentId
    yield* this.#reportToEdge(environmentId, yield* delivery.flush(environmentId))
  }, Effect.catchCause((cause) => Effect.logWarning(`last hop not delivered router=${this.#parts.routerId}`, cause)))
}
