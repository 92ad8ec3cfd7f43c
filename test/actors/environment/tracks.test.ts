import { describe, expect, it } from "vitest"
import { createTracks, type TrackedImage, type Tracks } from "../../../actors/environment/tracks.ts"
import { trackRecordOf } from "../../../actors/environment/track-records.ts"
import { statusOf, trackLimitsOf } from "../../../actors/track/machine.ts"
import type { SiteGeometry } from "../../../core/imaging/geometry.ts"
import { motionOf } from "../../../core/tracking/person-motion.ts"
import { pointsOf } from "../../../core/tracking/trajectory.ts"
import { defaultDetection } from "../../../protocols/domain/configuration.ts"
import { adultEcho, detectionAt, noEcho, unknownEcho } from "../../harness/detections.ts"

const hopS = 0.1
const startMs = 1_000_000

/** Tracks with ids from 101, hop by hop. */
const make = (
  over: Partial<Parameters<typeof trackLimitsOf>[0]> = {},
  personsMax = 10,
  size: SiteGeometry["size"] | null = null,
) => {
  let id = 100
  let hop = 0
  const tracks = createTracks(() => ++id, size)
  tracks.configure(trackLimitsOf({ ...defaultDetection, ...over }), personsMax)
  /** So many hops, of which each sees what `imageAt` says of it; places without an echo of their own are unknown. */
  const run = (hops: number, imageAt: (hop: number) => Partial<TrackedImage>) => {
    for (let i = 0; i < hops; i++) {
      tracks.step({ detections: [], echoes: [], still: null, ...imageAt(i) }, hopS, startMs + 100 * hop++)
    }
  }
  return { tracks, run, nowMs: () => startMs + 100 * (hop - 1) }
}

const statuses = (tracks: Tracks) => tracks.current().map(({ id, snapshot }) => [id, statusOf(snapshot)])
const trackOf = (tracks: Tracks, id: number) => tracks.current().find((track) => track.id === id)!
const placeOf = (tracks: Tracks, id: number) => motionOf(trackOf(tracks, id).person)
/** Somebody who walks along x at one metre a second. */
const walk = (fromX: number, y = 1) => (hop: number) => ({ detections: [detectionAt(fromX + 0.1 * hop, y, [1, 0])] })
const nothing = () => ({})
const echo = (still: TrackedImage["echoes"][number]) => () => ({ echoes: [still] })

describe("tracks of an environment", () => {
  it("are born tentative of a detection, and confirmed once they have walked", () => {
    const { run, tracks } = make()
    run(1, walk(1))
    expect(statuses(tracks)).toEqual([[101, "tentative"]])
    expect(trackOf(tracks, 101)).toMatchObject({ proven: false, existence: 0.3 })
    run(2, walk(1.1))
    expect(statuses(tracks)).toEqual([[101, "tentative"]])
    // What was seen before it had gone far enough counts, too.
    run(3, walk(1.3))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    run(20, walk(1.6))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(trackOf(tracks, 101).existence).toBeGreaterThan(0.9)
    expect(Math.abs(placeOf(tracks, 101).x - 3.5)).toBeLessThan(0.2)
    expect(placeOf(tracks, 101).velocityX).toBeGreaterThan(0.7)
  })

  it("follow two persons who walk past each other, each under its own id", () => {
    const { run, tracks } = make()
    run(50, (hop) => ({
      detections: [detectionAt(1 + hop * 0.1, 2, [1, 0]), detectionAt(6 - hop * 0.1, 2.3, [-1, 0])],
    }))
    expect(statuses(tracks).toSorted()).toEqual([[101, "active"], [102, "active"]])
    expect(Math.abs(placeOf(tracks, 101).x - 5.9)).toBeLessThan(0.3)
    expect(Math.abs(placeOf(tracks, 102).x - 1.1)).toBeLessThan(0.3)
  })

  it("never confirm what is seen once, and end it soon", () => {
    const { run, tracks } = make()
    run(1, walk(1))
    run(3, nothing)
    expect(statuses(tracks)).toEqual([[101, "tentative"]])
    run(6, nothing)
    expect(tracks.current()).toEqual([])
    expect(tracks.ended()).toEqual([])
  })

  it("confirm who was first noticed keeping still, by the echo that stays", () => {
    const { run, tracks } = make()
    run(1, () => ({ still: { x: 3, y: 2, sigmaM: 0.4, ownSectionM2: 0.05 } }))
    expect(statuses(tracks)).toEqual([[101, "tentative"]])
    run(30, echo(adultEcho))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(placeOf(tracks, 101)).toMatchObject({ x: 3, y: 2 })
    const other = make()
    other.run(1, () => ({ still: { x: 3, y: 2, sigmaM: 0.4, ownSectionM2: 0.05 } }))
    other.run(100, echo(noEcho))
    expect(other.tracks.current()).toEqual([])
    expect(other.tracks.ended()).toEqual([])
  })

  it("never confirm what turns in its place and has no echo that stays", () => {
    const { run, tracks } = make()
    run(600, () => ({ detections: [detectionAt(2, 2, [0, 0], { crossSectionM2: 0.06, still: noEcho })] }))
    expect(tracks.current().filter(({ proven }) => proven)).toEqual([])
    for (const [, status] of statuses(tracks)) expect(status).toBe("tentative")
  })

  it("never confirm what keeps its place while it is said to be fast, as a fan's blades are", () => {
    const { run, tracks } = make()
    const fast = [[-1.9, -1.2], [-2, -1.1], [-1.9, -1.3], [1.1, 1.8]] as const
    let farthestM = 0
    run(600, (hop) => {
      for (const { person } of tracks.current()) farthestM = Math.max(farthestM, Math.abs(motionOf(person).x - 3))
      const [u, v] = fast[Math.floor(hop / 5) % fast.length]!
      return {
        detections: [detectionAt(3 + 0.05 * Math.sin(hop), 2, [u, v])],
        echoes: tracks.current().map(() => noEcho),
      }
    })
    expect(farthestM).toBeGreaterThan(0.6)
    expect(tracks.current().filter(({ proven }) => proven)).toEqual([])
    expect(tracks.ended()).toEqual([])
  })

  it("confirm who moves in their place by an echo that stays", () => {
    const { run, tracks } = make()
    run(10, () => ({ detections: [detectionAt(2, 2, [0, 0], { still: adultEcho })] }))
    expect(statuses(tracks)).toEqual([[101, "active"]])
  })

  it("end a fan that was taken for a walker while it was seen in several places", () => {
    const { run, tracks } = make()
    run(12, (hop) => ({ detections: [detectionAt(2 + 0.1 * hop, 2, [1.2, 0], { still: noEcho })] }))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    run(200, (hop) => ({
      detections: [detectionAt(3.2, 2, [2 * Math.cos(hop), 2 * Math.sin(hop)], { still: noEcho })],
      echoes: tracks.current().map(() => noEcho),
    }))
    expect(tracks.current().filter(({ proven }) => proven)).toEqual([])
    expect(statuses(tracks).filter(([, status]) => status === "active")).toEqual([])
  })

  it("take who keeps still for an echo of somebody who has walked here, and for a person beside one who has not", () => {
    const still = { x: 6, y: 2, sigmaM: 0.4, ownSectionM2: 0.05 }
    const echoes = (tracks: Tracks) => tracks.current().map(() => adultEcho)
    const walked = make()
    walked.run(20, walk(1))
    walked.run(30, () => ({ still, echoes: echoes(walked.tracks) }))
    expect(statuses(walked.tracks)).toEqual([[101, "active"]])
    const sits = make()
    sits.run(30, () => ({ detections: [detectionAt(2, 2, [0, 0], { still: adultEcho })], echoes: echoes(sits.tracks) }))
    sits.run(1, () => ({ still, echoes: echoes(sits.tracks) }))
    sits.run(30, () => ({ echoes: echoes(sits.tracks) }))
    expect(statuses(sits.tracks)).toEqual([[101, "active"], [102, "active"]])
  })

  it("take what never walked beside a person for a part of them, and farther off for another", () => {
    const besideAt = (apartM: number) => {
      const { run, tracks } = make()
      run(30, walk(1))
      run(100, () => ({
        detections: [
          detectionAt(3.9, 1, [0, 0], { still: adultEcho }),
          detectionAt(3.9, 1 + apartM, [0, 0], { still: adultEcho }),
        ],
      }))
      return statuses(tracks).toSorted()
    }
    expect(besideAt(0.8)).toEqual([[101, "active"], [102, "tentative"]])
    expect(besideAt(1.4)).toEqual([[101, "active"], [102, "active"]])
    // It takes more to have walked there than elsewhere: here both go 0.35 m.
    const strayingAt = (apartM: number) => {
      const { run, tracks } = make()
      run(30, walk(1))
      run(100, (hop) => ({
        detections: [detectionAt(3.9, 1, [0, 0]), detectionAt(3.9, 1 + apartM + 0.35 * Math.min(1, hop / 10), [0, 0])],
      }))
      return statuses(tracks).toSorted()
    }
    expect(strayingAt(0.5)).toEqual([[101, "active"], [102, "tentative"]])
    expect(strayingAt(1.4)).toEqual([[101, "active"], [102, "active"]])
    // Who walks away from there was somebody.
    const { run, tracks } = make()
    run(30, walk(1))
    run(
      50,
      (hop) => ({
        detections: [detectionAt(3.9, 1, [0, 0], { still: adultEcho }), detectionAt(3.9, 1.8 + 0.06 * hop, [0, 0.6])],
      }),
    )
    expect(statuses(tracks).toSorted()).toEqual([[101, "active"], [102, "active"]])
  })

  it("hold who stands by their echo, for as long as it is there", () => {
    const { run, tracks } = make()
    run(40, walk(1))
    run(3000, echo(adultEcho))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(trackOf(tracks, 101).existence).toBeGreaterThan(0.95)
    expect(Math.abs(placeOf(tracks, 101).x - 4.9)).toBeLessThan(1)
    expect(tracks.expected(hopS)).toMatchObject([{ stands: true }])
    run(300, echo(noEcho))
    expect(tracks.current()).toEqual([])
  })

  it("hold who stands for a while where nothing can be heard, and not for ever", () => {
    const { run, tracks } = make()
    run(40, walk(1))
    run(200, echo(unknownEcho))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    run(3000, echo(unknownEcho))
    expect(tracks.current()).toEqual([])
  })

  it("hold who walks hidden beside another, and miss who walks alone", () => {
    const missesAt = (distanceM: number): ReadonlyArray<number> => {
      const { run, tracks } = make()
      run(40, (hop) => {
        const apartM = Math.max(distanceM, 1.5 - 0.05 * hop)
        const y = 1 + apartM
        return { detections: [detectionAt(1 + 0.1 * hop, 1, [1, 0]), detectionAt(1 + 0.1 * hop, y, [1, 0])] }
      })
      // The second is not seen any more.
      return [0, 1, 2].map((hop) => {
        run(1, () => walk(5 + 0.1 * hop)(0))
        expect(trackOf(tracks, 102).person.standingProbability).toBeLessThan(0.5)
        return trackOf(tracks, 102).snapshot.context.misses
      })
    }
    expect(missesAt(0.5)).toEqual([0, 0, 0])
    expect(missesAt(1.5)).toEqual([1, 2, 3])
  })

  it("give who is first seen in the middle of the room the id of whom the network doubts near by", () => {
    const room = [8, 8, 2.5] as const
    /** Somebody stops at (3.9, 4) under 101; somebody sets off from there or elsewhere. */
    const afterwards = (sigmaM: number | null, fromX: number, y: number, size: typeof room | null = room) => {
      const { run, tracks } = make({}, 10, size)
      run(30, walk(1, 4))
      run(30, echo(adultEcho))
      expect(trackOf(tracks, 101).person.standingProbability).toBeGreaterThan(0.8)
      for (let hop = 0; hop < 15; hop++) {
        if (sigmaM !== null) tracks.see(new Map([[101, sigmaM]]))
        run(1, () => ({ ...echo(adultEcho)(), ...walk(fromX, y)(hop) }))
      }
      return tracks
    }
    const together = [[101, "active"]]
    const apart = [[101, "active"], [102, "active"]]
    const one = afterwards(0.27, 5.2, 4)
    expect(statuses(one)).toEqual(together)
    expect(placeOf(one, 101).x).toBeGreaterThan(6)
    // It has been known all the time, and its way is that of both.
    const { firstSeenMs, totalFrames } = trackRecordOf(trackOf(one, 101))
    expect(firstSeenMs).toBe(startMs)
    expect(totalFrames).toBeGreaterThan(60)
    // Of whom the network is sure, who is far away, or where it was not asked or the room is not known: it is another.
    expect(statuses(afterwards(0.15, 5.2, 4)).toSorted()).toEqual(apart)
    expect(statuses(afterwards(0.27, 6, 4)).toSorted()).toEqual(apart)
    expect(statuses(afterwards(null, 5.2, 4)).toSorted()).toEqual(apart)
    expect(statuses(afterwards(0.27, 5.2, 4, null)).toSorted()).toEqual(apart)
    // Who comes in by a wall is another.
    const entering = make({}, 10, [8, 5, 2.5])
    entering.run(30, walk(1, 3.6))
    entering.run(30, echo(adultEcho))
    for (let hop = 0; hop < 15; hop++) {
      entering.tracks.see(new Map([[101, 0.27]]))
      entering.run(1, () => ({ ...echo(adultEcho)(), ...walk(4.2, 4.8)(hop) }))
    }
    expect(statuses(entering.tracks).toSorted()).toEqual(apart)
  })

  it("lose who is not seen any more, and find them again under the same id", () => {
    const { run, tracks } = make()
    run(40, walk(1))
    let hops = 0
    for (; statuses(tracks)[0]?.[1] === "active" && hops < 4000; hops++) run(1, echo(unknownEcho))
    expect(statuses(tracks)).toEqual([[101, "lost"]])
    // Whoever stands may be there unheard for a while.
    expect(hops).toBeGreaterThan(100)
    const before = trackRecordOf(trackOf(tracks, 101))
    run(5, echo(unknownEcho))
    expect(trackRecordOf(trackOf(tracks, 101))).toEqual(before)
    const { x, y } = placeOf(tracks, 101)
    run(1, () => ({ detections: [detectionAt(x, y, [0.5, 0])] }))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(trackRecordOf(trackOf(tracks, 101)).totalFrames).toBe(before.totalFrames + 1)
  })

  it("end who stays lost, and give who comes then a new id", () => {
    const { run, tracks } = make()
    run(40, walk(1))
    run(400, echo(noEcho))
    expect(tracks.current()).toEqual([])
    expect(tracks.ended().map(({ id, snapshot }) => [id, statusOf(snapshot)])).toEqual([[101, "ended"]])
    run(1, walk(4.9))
    expect(statuses(tracks)).toEqual([[102, "tentative"]])
  })

  it("follow as many as twice the persons that are wanted, and never more", () => {
    const crowd = (hop: number) => ({
      detections: Array.from({ length: 9 }, (_, i) => detectionAt(1 + 0.1 * hop, 2 * i, [1, 0])),
    })
    const { run, tracks } = make({}, 2)
    run(30, crowd)
    expect(tracks.current()).toHaveLength(4)
    const many = make({}, 100)
    many.run(2, (hop) => ({
      detections: Array.from({ length: 50 }, (_, i) => detectionAt(1 + 0.1 * hop, 2 * i, [1, 0])),
    }))
    expect(many.tracks.current()).toHaveLength(32)
  })

  it("put the surest first, and expect them in that order", () => {
    const { run, tracks } = make()
    run(30, walk(1, 1))
    run(1, (hop) => ({ detections: [detectionAt(8, 8), ...walk(4, 1)(hop).detections] }))
    expect(tracks.current().map(({ id }) => id)).toEqual([101, 102])
    expect(tracks.expected(0).map(({ y }) => Math.round(y))).toEqual([1, 8])
    expect(tracks.expected(1)[0]!.x).toBeGreaterThan(tracks.expected(0)[0]!.x + 0.5)
  })

  it("forget everybody on a reset, the ended too", () => {
    const { run, tracks } = make()
    run(40, walk(1))
    run(400, echo(noEcho))
    run(1, walk(1))
    expect([tracks.current().length, tracks.ended().length]).toEqual([1, 1])
    tracks.reset()
    expect([tracks.current(), tracks.ended()]).toEqual([[], []])
  })

  it("keep to the hits and the age that are configured", () => {
    const hopsUntilActive = (trackingMinHits: number): number => {
      const { run, tracks } = make({ trackingMinHits })
      for (let hop = 0; hop < 100; hop++) {
        run(1, () => walk(1 + 0.1 * hop)(0))
        if (statuses(tracks)[0]![1] === "active") return hop
      }
      return Infinity
    }
    expect(hopsUntilActive(20)).toBe(19)
    // Who has not walked yet is not confirmed, seen as often as may be.
    expect(hopsUntilActive(1)).toBe(hopsUntilActive(4))
    const hopsUntilEnd = (trackingMaxAgeFrames: number): number => {
      const { run, tracks } = make({ trackingMaxAgeFrames })
      run(40, walk(1))
      let hops = 0
      for (; tracks.current().length > 0 && hops < 1000; hops++) run(1, echo(noEcho))
      return hops
    }
    expect(hopsUntilEnd(2)).toBeLessThan(hopsUntilEnd(60))
  })
})

describe("records of tracks", () => {
  it("tell where a living track has been and how it moved", () => {
    const { nowMs, run, tracks } = make()
    run(101, walk(1))
    const record = trackRecordOf(trackOf(tracks, 101))
    expect(record).toMatchObject({
      trackId: 101,
      status: "active",
      firstSeenMs: startMs,
      lastSeenMs: nowMs(),
      totalFrames: 101,
    })
    expect(record.averageConfidence).toBeGreaterThan(0.8)
    expect(Math.abs(record.statistics.movementDistanceM - 10)).toBeLessThan(0.7)
    expect(Math.abs(record.statistics.averageSpeedMps - 1)).toBeLessThan(0.1)
    expect(record.statistics.timeStationaryS + record.statistics.timeMovingS).toBeCloseTo(10, 6)
    expect(record.trajectory[0]).toMatchObject({ timestampMs: startMs, x: 1, y: 1 })
    expect(record.trajectory.at(-1)!.timestampMs).toBe(nowMs())
    expect(record.trajectory.length).toBeGreaterThan(20)
  })

  it("count the time that somebody is held where they stand", () => {
    const { nowMs, run, tracks } = make()
    run(51, walk(1))
    run(600, echo(adultEcho))
    const { lastSeenMs, statistics } = trackRecordOf(trackOf(tracks, 101))
    expect(lastSeenMs).toBe(nowMs())
    expect(statistics.timeStationaryS).toBeGreaterThan(55)
    expect(statistics.movementDistanceM).toBeLessThan(6)
  })

  it("have no state of a moment at which nothing spoke for the track, and none after its end", () => {
    const { run, tracks } = make()
    run(40, walk(1))
    const seenMs = trackRecordOf(trackOf(tracks, 101)).lastSeenMs
    // While it is taken for walking on, or its place is empty, it is missed.
    run(400, echo(noEcho))
    const [gone] = tracks.ended()
    const record = trackRecordOf(gone!)
    expect(record.status).toBe("ended")
    expect(record.lastSeenMs).toBeGreaterThanOrEqual(seenMs)
    expect(record.lastSeenMs).toBeLessThan(seenMs + 5_000)
    expect(pointsOf(gone!.trajectory).at(-1)!.timestampMs).toBe(record.lastSeenMs)
  })

  it("are kept of the last 32 that ended, the last one first", () => {
    const { run, tracks } = make({ trackingMaxAgeFrames: 2 })
    for (let person = 0; person < 35; person++) {
      run(15, walk(1, 3 * person))
      run(200, () => ({ echoes: [noEcho, noEcho] }))
    }
    const ended = tracks.ended().map(({ id }) => id)
    expect(ended).toHaveLength(32)
    expect(ended).toEqual(ended.toSorted((a, b) => b - a))
    expect(new Set(ended).size).toBe(32)
  })
})
