/** Tracks, hop by hop, and images of persons, for tests. */
import { type TrackedImage, Tracks } from "../../actors/environment/tracks.ts"
import { statusOf, trackLimitsOf } from "../../actors/track/machine.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { motionOf } from "../../core/tracking/person-motion.ts"
import { defaultDetection } from "../../protocols/domain/configuration.ts"
import { detectionAt } from "./detections.ts"

export const hopS = 0.1
export const startMs = 1_000_000

/** Tracks with ids from 101, hop by hop. */
export const makeTracks = (
  over: Partial<Parameters<typeof trackLimitsOf>[0]> = {},
  personsMax = 10,
  size: SiteGeometry["size"] | null = null,
) => {
  let id = 100
  let hop = 0
  const tracks = new Tracks(() => ++id, size)
  tracks.configure(trackLimitsOf({ ...defaultDetection, ...over }), personsMax)
  /**
   * So many hops, of which each sees what `imageAt` says of it; places without an echo of their own are unknown. With a stride, the others
   * are left out.
   */
  const run = (hops: number, imageAt: (hop: number) => Partial<TrackedImage>, stride = 1) => {
    for (let i = 0; i < hops; i += stride) {
      tracks.step(
        { detections: [], echoes: [], mostLinksMove: false, still: null, empty: false, ...imageAt(i) },
        stride * hopS,
        startMs + 100 * hop,
      )
      hop += stride
    }
  }
  return { tracks, run, nowMs: () => startMs + 100 * (hop - 1) }
}

export const statuses = (tracks: Tracks) => tracks.current.map(({ id, snapshot }) => [id, statusOf(snapshot)])
export const trackOf = (tracks: Tracks, id: number) => tracks.current.find((track) => track.id === id)!
export const placeOf = (tracks: Tracks, id: number) => motionOf(trackOf(tracks, id).person)
/** A person who walks along x at one metre per second. */
export const walk = (fromX: number, y = 1) => (hop: number) => ({
  detections: [detectionAt(fromX + 0.1 * hop, y, [1, 0])],
})
export const echo = (still: TrackedImage["echoes"][number]) => () => ({ echoes: [still] })
