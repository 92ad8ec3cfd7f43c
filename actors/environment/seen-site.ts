/**
 * The results of a hop for a site, and the part of a frame that follows from them: capabilities, signal and model. Pure.
 */
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { linksMin, type RoomImage } from "../../core/imaging/matched-field.ts"
import { meanOf } from "../../core/math/mean.ts"
import type { MotionState } from "../../core/tracking/kalman.ts"
import type { Observation } from "../../core/observation/observation.ts"
import type { Effort } from "../../core/pace/effort.ts"
import type { PoseNetwork } from "../../core/pose/network.ts"
import { viewOf } from "../../core/pose/view.ts"
import { PresenceDetector } from "../../core/vitals/presence.ts"
import type { Capability, PoseFrame } from "../../protocols/domain/pose.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { Track } from "./track.ts"

/** The name of the model without a pose network. */
export const meanSkeletonModel = "mean-skeleton"

/** A pose frame without what publication and the clock add. */
export type Estimate = Omit<PoseFrame, "environmentId" | "frameId" | "timestampMs" | "processingTimeMs">

/** From the least trustworthy source to the most. */
const sourcesByTrust: ReadonlyArray<Source> = ["simulated", "replay", "live"]

/** The source of a frame: the least trustworthy of its observations. */
const sourceOf = (observations: ReadonlyArray<Observation>): Source =>
  sourcesByTrust.find((source) => observations.some((observation) => observation.source === source)) ?? "simulated"

/** The result of a hop's observations, from which its frame is made. */
export interface Seen {
  readonly hop: number
  readonly observations: ReadonlyArray<Observation>
  readonly effort: Effort
  readonly reading: ReturnType<PresenceDetector["read"]>
  /** Null without a geometry. */
  readonly image: RoomImage | null
  readonly tracks: ReadonlyArray<{ readonly track: Track; readonly motion: MotionState }>
}

/** Before the first hop. */
export const nothingSeen: Seen = {
  hop: -1,
  observations: [],
  effort: "full",
  reading: new PresenceDetector().read(-1),
  image: null,
  tracks: [],
}

/** Whether enough links locate persons, so that they can be counted. */
export const isLocated = (image: RoomImage | null): image is RoomImage => image !== null && image.linksUsed >= linksMin

/** The status of the tracks of an environment that does not count persons. */
export const noTracks = { activeTracks: null, trackQuality: null } as const

/** A text of a frame's metadata, with the effort where work was left out to stay in real time. */
const withEffort = (text: string, effort: Effort): string =>
  effort === "full" ? text : `${text}, ${effort.replaceAll("_", " ")}`

/** The part of a frame that describes the site: its capabilities, signal and model. */
export const siteOf = (seen: Seen, geometry: SiteGeometry | null, model: string) => {
  const { effort, image, observations } = seen
  const located = isLocated(image)
  const losses = observations.flatMap(({ packetLoss }) => packetLoss === null ? [] : [packetLoss])
  const loss = meanOf(losses)
  const capabilities: ReadonlyArray<Capability> = [
    "presence",
    "motion",
    "breathing",
    ...(located ? ["location", "count"] as const : []),
    ...(located && model !== meanSkeletonModel ? ["pose"] as const : []),
  ]
  return {
    routerCount: observations.length,
    signalQuality: loss === null ? null : 1 - loss,
    processingMode: withEffort("streaming", effort),
    motion: seen.reading.motion,
    capabilities,
    view: geometry === null ? null : { lookingAlong: "+y", ...viewOf(geometry) } as const,
    provenance: {
      source: sourceOf(observations),
      calibrated: observations.every(({ calibrated }) => calibrated),
      modelVersion: geometry === null ? "motion-statistic" : model,
      linksUsed: located ? image.linksUsed : observations.reduce((total, { links }) => total + links.length, 0),
    },
  }
}

/** The parts that made a frame, and the effort where it is not full. */
export const pipelineOf = (image: RoomImage | null, network: PoseNetwork | null, effort: Effort): string =>
  withEffort(
    image === null ? "motion-statistic" : network === null ? "matched-field" : "matched-field, pose-network",
    effort,
  )
