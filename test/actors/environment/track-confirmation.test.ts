import { describe, expect, it } from "vitest"
import type { Tracks } from "../../../actors/environment/tracks.ts"
import { motionOf } from "../../../core/tracking/person-motion.ts"
import { adultEcho, detectionAt, noEcho } from "../../harness/detections.ts"
import { echo, makeTracks, placeOf, statuses, trackOf, walk } from "../../harness/followed-tracks.ts"

const nothing = () => ({})

describe("tracks until they are confirmed", () => {
  it("begin tentative with a detection, and are confirmed after they have walked", () => {
    const { run, tracks } = makeTracks()
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
    const { run, tracks } = makeTracks()
    run(50, (hop) => ({
      detections: [detectionAt(1 + hop * 0.1, 2, [1, 0]), detectionAt(6 - hop * 0.1, 2.3, [-1, 0])],
    }))
    expect(statuses(tracks).toSorted()).toEqual([[101, "active"], [102, "active"]])
    expect(Math.abs(placeOf(tracks, 101).x - 5.9)).toBeLessThan(0.3)
    expect(Math.abs(placeOf(tracks, 102).x - 1.1)).toBeLessThan(0.3)
  })

  it("end soon, unconfirmed, after a single detection", () => {
    const { run, tracks } = makeTracks()
    run(1, walk(1))
    run(3, nothing)
    expect(statuses(tracks)).toEqual([[101, "tentative"]])
    run(6, nothing)
    expect(tracks.current).toEqual([])
    expect(tracks.ended).toEqual([])
  })

  it("confirm a weak body after a longer walk at a speed that the links agree on, and then expect it as weak", () => {
    const afterHops = (hops: number, { agreement = 2, sectionM2 = 0.02, still = noEcho } = {}) => {
      const { run, tracks } = makeTracks()
      run(hops, (hop) => {
        const seen = detectionAt(1 + 0.1 * hop, 1, [1, 0], { crossSectionM2: sectionM2, still })
        return { detections: [{ ...seen, velocity: { ...seen.velocity, agreement } }] }
      })
      return tracks
    }
    expect(statuses(afterHops(6, { sectionM2: 0.2 }))).toEqual([[101, "active"]])
    for (const weak of [afterHops(6), afterHops(6, { still: adultEcho }), afterHops(20, { agreement: 1 })]) {
      expect(statuses(weak)).toEqual([[101, "tentative"]])
      expect(weak.expected(0)).toMatchObject([{ leastM2: null }])
    }
    expect(statuses(afterHops(12))).toEqual([[101, "active"]])
    expect(afterHops(12).expected(0)[0]!.leastM2).toBeCloseTo(0.01)
    expect(afterHops(12, { sectionM2: 0.2 }).expected(0)[0]!.leastM2).toBeCloseTo(0.03)
  })

  it("confirm a person who was first detected keeping still, by a lasting echo", () => {
    const { run, tracks } = makeTracks()
    run(1, () => ({ still: { x: 3, y: 2, sigmaM: 0.4, ownSectionM2: 0.05 } }))
    expect(statuses(tracks)).toEqual([[101, "tentative"]])
    run(30, echo(adultEcho))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(placeOf(tracks, 101)).toMatchObject({ x: 3, y: 2 })
    const other = makeTracks()
    other.run(1, () => ({ still: { x: 3, y: 2, sigmaM: 0.4, ownSectionM2: 0.05 } }))
    other.run(100, echo(noEcho))
    expect(other.tracks.current).toEqual([])
    expect(other.tracks.ended).toEqual([])
  })

  it("do not confirm a target that turns in its place without a lasting echo", () => {
    const { run, tracks } = makeTracks()
    run(600, () => ({ detections: [detectionAt(2, 2, [0, 0], { crossSectionM2: 0.06, still: noEcho })] }))
    expect(tracks.current.filter(({ proven }) => proven)).toEqual([])
    for (const [, status] of statuses(tracks)) expect(status).toBe("tentative")
  })

  it("do not confirm a fast target that keeps its place, such as a fan's blades", () => {
    const { run, tracks } = makeTracks()
    const fast = [[-1.9, -1.2], [-2, -1.1], [-1.9, -1.3], [1.1, 1.8]] as const
    let farthestM = 0
    run(600, (hop) => {
      for (const { person } of tracks.current) farthestM = Math.max(farthestM, Math.abs(motionOf(person).x - 3))
      const [u, v] = fast[Math.floor(hop / 5) % fast.length]!
      return {
        detections: [detectionAt(3 + 0.05 * Math.sin(hop), 2, [u, v])],
        echoes: tracks.current.map(() => noEcho),
      }
    })
    expect(farthestM).toBeGreaterThan(0.6)
    expect(tracks.current.filter(({ proven }) => proven)).toEqual([])
    expect(tracks.ended).toEqual([])
  })

  it("confirm a person who moves in place, by a lasting echo", () => {
    const { run, tracks } = makeTracks()
    run(10, () => ({ detections: [detectionAt(2, 2, [0, 0], { still: adultEcho })] }))
    expect(statuses(tracks)).toEqual([[101, "active"]])
  })

  it("end a fan that was taken for a walker while it was detected in several places", () => {
    const { run, tracks } = makeTracks()
    run(12, (hop) => ({ detections: [detectionAt(2 + 0.1 * hop, 2, [1.2, 0], { still: noEcho })] }))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    run(200, (hop) => ({
      detections: [detectionAt(3.2, 2, [2 * Math.cos(hop), 2 * Math.sin(hop)], { still: noEcho })],
      echoes: tracks.current.map(() => noEcho),
    }))
    expect(tracks.current.filter(({ proven }) => proven)).toEqual([])
    expect(statuses(tracks).filter(([, status]) => status === "active")).toEqual([])
  })

  it("take a still target for an echo of a person who has walked, and for a person beside one who has not", () => {
    const still = { x: 6, y: 2, sigmaM: 0.4, ownSectionM2: 0.05 }
    const echoes = (tracks: Tracks) => tracks.current.map(() => adultEcho)
    const walked = makeTracks()
    walked.run(20, walk(1))
    walked.run(30, () => ({ still, echoes: echoes(walked.tracks) }))
    expect(statuses(walked.tracks)).toEqual([[101, "active"]])
    const sits = makeTracks()
    sits.run(30, () => ({ detections: [detectionAt(2, 2, [0, 0], { still: adultEcho })], echoes: echoes(sits.tracks) }))
    sits.run(1, () => ({ still, echoes: echoes(sits.tracks) }))
    sits.run(30, () => ({ echoes: echoes(sits.tracks) }))
    expect(statuses(sits.tracks)).toEqual([[101, "active"], [102, "active"]])
  })

  it("take a target that never walked for a part of the person beside it, and farther off for another person", () => {
    const besideAt = (apartM: number) => {
      const { run, tracks } = makeTracks()
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
      const { run, tracks } = makeTracks()
      run(30, walk(1))
      run(100, (hop) => ({
        detections: [detectionAt(3.9, 1, [0, 0]), detectionAt(3.9, 1 + apartM + 0.35 * Math.min(1, hop / 10), [0, 0])],
      }))
      return statuses(tracks).toSorted()
    }
    expect(strayingAt(0.5)).toEqual([[101, "active"], [102, "tentative"]])
    expect(strayingAt(1.4)).toEqual([[101, "active"], [102, "active"]])
    // A target that walks away from there was a person.
    const { run, tracks } = makeTracks()
    run(30, walk(1))
    run(
      50,
      (hop) => ({
        detections: [detectionAt(3.9, 1, [0, 0], { still: adultEcho }), detectionAt(3.9, 1.8 + 0.06 * hop, [0, 0.6])],
      }),
    )
    expect(statuses(tracks).toSorted()).toEqual([[101, "active"], [102, "active"]])
  })
})
