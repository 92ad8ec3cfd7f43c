import { describe, expect, it } from "vitest"
import { statusOf } from "../../../actors/track/machine.ts"
import { trackRecordOf } from "../../../actors/environment/track-records.ts"
import { adultEcho, detectionAt, noEcho, unknownEcho } from "../../harness/detections.ts"
import { echo, hopS, makeTracks, placeOf, startMs, statuses, trackOf, walk } from "../../harness/followed-tracks.ts"

describe("tracks of an environment", () => {
  it("hold a standing person by their echo, for as long as it lasts", () => {
    const { run, tracks } = makeTracks()
    run(40, walk(1))
    run(3000, echo(adultEcho))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(trackOf(tracks, 101).existence).toBeGreaterThan(0.95)
    expect(Math.abs(placeOf(tracks, 101).x - 4.9)).toBeLessThan(1)
    expect(tracks.expected(hopS)).toMatchObject([{ stands: true }])
    run(300, echo(noEcho))
    expect(tracks.current).toEqual([])
  })

  it("hold a standing person without an echo for a while", () => {
    const { run, tracks } = makeTracks()
    run(40, walk(1))
    run(200, echo(unknownEcho))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    run(3000, echo(unknownEcho))
    expect(tracks.current).toEqual([])
  })

  it("end in the same time when hops are left out", () => {
    /** Seconds until the track of a person whom nobody detects any more has ended. */
    const secondsUntilEnded = (still: typeof noEcho, stride: number): number => {
      const { run, tracks } = makeTracks()
      run(40, walk(1))
      let hops = 0
      for (; tracks.current.length > 0 && hops < 3000; hops += stride) run(stride, echo(still), stride)
      return hops / 10
    }
    for (const still of [noEcho, unknownEcho]) {
      const everyHop = secondsUntilEnded(still, 1)
      for (const stride of [2, 4]) {
        const ratio = secondsUntilEnded(still, stride) / everyHop
        expect(Math.max(ratio, 1 / ratio)).toBeLessThan(1.5)
      }
    }
  })

  it("lose a person who has walked out, although the pose network takes the end of the echoes for a lying body", () => {
    const statusAfter = (untilX: number) => {
      const { run, tracks } = makeTracks({}, 10, [5, 8, 2.5])
      // Nothing is imaged beyond the wall, and the window of an image shows the walk for some hops more.
      run(
        10 * (untilX - 1) + 5,
        (hop) => ({ detections: [detectionAt(Math.min(5, untilX, 1 + 0.1 * hop), 4, [1, 0])] }),
      )
      for (let hop = 0; hop < 20; hop++) {
        tracks.setSeen(new Map([[101, { sigmaM: 0.12, lyingProbability: 0.99 }]]))
        run(1, echo(noEcho))
      }
      return statuses(tracks)
    }
    expect(statusAfter(6)).toEqual([[101, "lost"]])
    expect(statusAfter(4)).toEqual([[101, "active"]])
  })

  it("hold a person who walked in and certainly lies without an echo, but not what walked half a metre", () => {
    const existenceAfter = (walkedHops: number) => {
      const { run, tracks } = makeTracks()
      run(walkedHops, walk(1))
      for (let hop = 0; hop < 40; hop++) {
        tracks.setSeen(new Map([[101, { sigmaM: 0.12, lyingProbability: 0.99 }]]))
        run(1, echo({ ownSectionM2: 0.001 }))
      }
      return tracks.current.find(({ id }) => id === 101)?.existence ?? 0
    }
    expect(existenceAfter(20)).toBeGreaterThan(0.9)
    expect(existenceAfter(5)).toBeLessThan(0.3)
  })

  it("hold a person who walks hidden beside another, and miss one who walks alone", () => {
    const missesAt = (distanceM: number): ReadonlyArray<number> => {
      const { run, tracks } = makeTracks()
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

  it("give a person who is first detected in the middle of the room the id of the unsure track near by", () => {
    const room = [8, 8, 2.5] as const
    /** A person stops at (3.9, 4) as track 101; a person starts to walk there or elsewhere. */
    const afterwards = (sigmaM: number | null, fromX: number, y: number, size: typeof room | null = room) => {
      const { run, tracks } = makeTracks({}, 10, size)
      run(30, walk(1, 4))
      run(30, echo(adultEcho))
      expect(trackOf(tracks, 101).person.standingProbability).toBeGreaterThan(0.8)
      for (let hop = 0; hop < 15; hop++) {
        if (sigmaM !== null) tracks.setSeen(new Map([[101, { sigmaM, lyingProbability: 0 }]]))
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
    const entering = makeTracks({}, 10, [8, 5, 2.5])
    entering.run(30, walk(1, 3.6))
    entering.run(30, echo(adultEcho))
    for (let hop = 0; hop < 15; hop++) {
      entering.tracks.setSeen(new Map([[101, { sigmaM: 0.27, lyingProbability: 0 }]]))
      entering.run(1, () => ({ ...echo(adultEcho)(), ...walk(4.2, 4.8)(hop) }))
    }
    expect(statuses(entering.tracks).toSorted()).toEqual(apart)
  })

  it("lose a person who is not detected, and find them again under the same id", () => {
    const { run, tracks } = makeTracks()
    run(40, walk(1))
    let hops = 0
    for (; statuses(tracks)[0]?.[1] === "active" && hops < 4000; hops++) run(1, echo(unknownEcho))
    expect(statuses(tracks)).toEqual([[101, "lost"]])
    // A standing person may be undetected for a while.
    expect(hops).toBeGreaterThan(100)
    const before = trackRecordOf(trackOf(tracks, 101))
    run(5, echo(unknownEcho))
    expect(trackRecordOf(trackOf(tracks, 101))).toEqual(before)
    const { x, y } = placeOf(tracks, 101)
    run(1, () => ({ detections: [detectionAt(x, y, [0.5, 0])] }))
    expect(statuses(tracks)).toEqual([[101, "active"]])
    expect(trackRecordOf(trackOf(tracks, 101)).totalFrames).toBe(before.totalFrames + 1)
  })

  it("end a person who stays lost, and give the next one a new id", () => {
    const { run, tracks } = makeTracks()
    run(40, walk(1))
    run(400, echo(noEcho))
    expect(tracks.current).toEqual([])
    expect(tracks.ended.map(({ id, snapshot }) => [id, statusOf(snapshot)])).toEqual([[101, "ended"]])
    run(1, walk(4.9))
    expect(statuses(tracks)).toEqual([[102, "tentative"]])
  })

  it("follow at most twice the configured persons", () => {
    const crowd = (hop: number) => ({
      detections: Array.from({ length: 9 }, (_, i) => detectionAt(1 + 0.1 * hop, 2 * i, [1, 0])),
    })
    const { run, tracks } = makeTracks({}, 2)
    run(30, crowd)
    expect(tracks.current).toHaveLength(4)
    const many = makeTracks({}, 100)
    many.run(2, (hop) => ({
      detections: Array.from({ length: 50 }, (_, i) => detectionAt(1 + 0.1 * hop, 2 * i, [1, 0])),
    }))
    expect(many.tracks.current).toHaveLength(32)
  })

  it("are in descending order of existence, also when expected", () => {
    const { run, tracks } = makeTracks()
    run(30, walk(1, 1))
    run(1, (hop) => ({ detections: [detectionAt(8, 8), ...walk(4, 1)(hop).detections] }))
    expect(tracks.current.map(({ id }) => id)).toEqual([101, 102])
    expect(tracks.expected(0).map(({ y }) => Math.round(y))).toEqual([1, 8])
    expect(tracks.expected(1)[0]!.x).toBeGreaterThan(tracks.expected(0)[0]!.x + 0.5)
  })

  it("rest when neither they nor anything unlocated moves", () => {
    const { run, tracks } = makeTracks()
    const quietHops = () => trackOf(tracks, 101).quietHops
    run(40, walk(1))
    expect(quietHops()).toBe(0)
    run(10, echo(adultEcho))
    expect(quietHops()).toBe(10)
    // A body too weak to be detected: the person may be the one who moves.
    run(10, () => ({ ...echo(adultEcho)(), mostLinksMove: true }))
    expect(quietHops()).toBe(0)
    // Somebody else who is detected explains the motion.
    run(10, (hop) => ({ ...echo(adultEcho)(), ...walk(1, 6)(hop), mostLinksMove: true }))
    expect(quietHops()).toBe(10)
  })

  it("are all removed by a reset, the ended ones too", () => {
    const { run, tracks } = makeTracks()
    run(40, walk(1))
    run(400, echo(noEcho))
    run(1, walk(1))
    expect([tracks.current.length, tracks.ended.length]).toEqual([1, 1])
    tracks.reset()
    expect([tracks.current, tracks.ended]).toEqual([[], []])
  })

  it("become older by all hops, also by those that are left out or silent", () => {
    for (const stride of [1, 2, 4]) {
      const { run, tracks } = makeTracks()
      run(40, walk(1), stride)
      expect(trackOf(tracks, 101).snapshot.context.age).toBe(41 - stride)
      run(8, echo(noEcho), stride)
      expect(trackOf(tracks, 101).snapshot.context.age).toBe(49 - stride)
    }
    const patient = makeTracks({ trackingMaxAgeFrames: 200 })
    patient.run(40, walk(1))
    patient.tracks.passSilence(70)
    patient.tracks.step(
      { detections: [], echoes: [], mostLinksMove: false, still: null, empty: false },
      71 * hopS,
      20_000,
    )
    expect(trackOf(patient.tracks, 101).snapshot.context.age).toBe(40 + 71)
  })

  it("follow the configured hits and age", () => {
    const hopsUntilActive = (trackingMinHits: number): number => {
      const { run, tracks } = makeTracks({ trackingMinHits })
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
      const { run, tracks } = makeTracks({ trackingMaxAgeFrames })
      run(40, walk(1))
      let hops = 0
      for (; tracks.current.length > 0 && hops < 1000; hops++) run(1, echo(noEcho))
      return hops
    }
    expect(hopsUntilEnd(2)).toBeLessThan(hopsUntilEnd(60))
  })
})
