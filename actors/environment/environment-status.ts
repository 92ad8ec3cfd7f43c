/** The parts of an environment's status that follow from its routers and its frames. Pure. */
import { meanOf } from "../../core/math/mean.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import { NoFrames, SystemNotRunning } from "../../protocols/domain/failure.ts"
import type { EnvironmentStatus } from "../../protocols/domain/system.ts"
import type { Parts } from "./parts.ts"
import type { Site } from "./site.ts"
import type { TrackRecord } from "../../protocols/domain/track.ts"
import { noTracks } from "./seen-site.ts"

/** A router that has not reported for this many hops does not stream. */
const streamingHops = 20

/** The signal of the routers that stream: those whose newest observation is near the last hop. */
const signalOf = (
  newest: Iterable<Observation>,
  lastHop: number,
): Pick<EnvironmentStatus, "streamingRouters" | "dataRateHz" | "packetLoss" | "rssiDbm"> => {
  const streaming = [...newest].filter(({ hop }) => Math.abs(lastHop - hop) < streamingHops)
  const losses = streaming.flatMap(({ packetLoss }) => packetLoss === null ? [] : [packetLoss])
  const strengths = streaming.flatMap(({ links }) => links.map((link) => link.rssiDbm)).filter((dbm) => dbm !== 0)
  return {
    streamingRouters: streaming.length,
    dataRateHz: streaming.length === 0 ? null : streaming.reduce((total, { packetRateHz }) => total + packetRateHz, 0),
    packetLoss: meanOf(losses),
    rssiDbm: meanOf(strengths),
  }
}

/** Whether a track is confirmed and has not ended: its person is seen, or was lost a moment ago. */
export const isCurrent = ({ status }: TrackRecord): boolean => status === "active" || status === "lost"

/** The failure of a request for a frame while the system does not run. */
export const stoppedFor = (reason: string | null): SystemNotRunning =>
  new SystemNotRunning({ status: "stopped", message: reason ?? "The system does not run." })

/** The failure of a request for a frame before there is one. */
export const noFramesFor = (environmentId: string, reason: string | null): NoFrames =>
  new NoFrames({ environmentId, message: reason ?? "The first frame is on its way." })

/** The state from which a status is made. */
interface DescribedEnvironment {
  readonly parts: Parts
  readonly site: Site
  /** State of the environment's machine. */
  readonly state: "inactive" | "waiting" | "streaming" | "silent"
  /** The newest observations of the routers. */
  readonly newest: Iterable<Observation>
  readonly lastHop: number
  readonly lastObservationMs: number | null
  readonly inferenceTimeMs: number | null
  readonly publishedInSession: boolean
  readonly noFramesReason: string | null
}

/** The status of an environment at this time. */
export const describeEnvironment = (given: DescribedEnvironment, nowMs: number): EnvironmentStatus => {
  const { environmentId, measures, pace, publication } = given.parts
  const { estimator, routers } = given.site
  const active = given.state !== "inactive"
  const streams = given.state === "streaming"
  const newestFrame = active && given.publishedInSession ? publication.newest : null
  return {
    environmentId,
    active,
    routers: routers.length,
    ...signalOf(streams ? given.newest : [], given.lastHop),
    lastPacketMs: given.lastObservationMs,
    ...measures.read(streams, newestFrame, nowMs),
    framesWaiting: publication.waiting,
    pace: pace.read(nowMs),
    modelVersion: estimator.network?.modelVersion ?? null,
    inferenceTimeMs: given.inferenceTimeMs,
    ...(streams ? estimator.tracks : noTracks),
    arrays: estimator.arrays,
    noFramesReason: given.noFramesReason,
  }
}

/** The state from which the reason for missing frames is derived. */
interface FrameState {
  readonly environmentId: string
  /** State of the environment's machine. */
  readonly state: "inactive" | "waiting" | "streaming" | "silent"
  readonly storeFailure: string | null
  readonly routers: ReadonlyArray<string>
  /** Whether an observation has arrived. */
  readonly isObserved: boolean
  /** Observations that the assembler dropped. */
  readonly droppedObservations: number
}

/** Why an environment makes no frames; null while it does. */
export const noFramesReasonOf = (given: FrameState): string | null => {
  const { droppedObservations, environmentId, isObserved, routers, state, storeFailure } = given
  if (state === "inactive") {
    return `The system does not run in environment ${environmentId}; start it with POST /api/v1/system/start.`
  }
  if (storeFailure !== null) return `Frames cannot be stored: ${storeFailure}`
  if (state === "streaming") return null
  if (routers.length === 0) return `No router is enrolled in environment ${environmentId}.`
  if (!isObserved) return `No CSI has come yet from ${routers.join(", ")}.`
  const dropped = droppedObservations === 0
    ? ""
    : ` ${droppedObservations} observations were dropped, because they came too late or far from the others' time.`
  return `CSI from ${routers.join(", ")} stopped, or has not filled a hop of ${hopUs / 1000} ms yet.${dropped}`
}
