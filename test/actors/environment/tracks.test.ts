import { describe, expect, it } from "vitest"
import { createTracks } from "../../../actors/environment/tracks.ts"
import { statusOf } from "../../../actors/track/machine.ts"

const detection = (x: number, y: number) => ({ x, y, sigmaM: 0.15, score: 0.6, crossSectionM2: 0.2 })
const ids = () => {
  let id = 100
  return () => ++id
}

describe("tracks of an environment", () => {
  it("follows two persons who walk past each other, each under its own id", () => {
    const tracks = createTracks(ids())
    for (let hop = 0; hop < 40; hop++) {
      tracks.step([detection(1 + hop * 0.1, 1), detection(5 - hop * 0.1, 4)], 0.1)
    }
    const [one, two] = tracks.current()
    expect(tracks.current().map(({ id, snapshot }) => [id, statusOf(snapshot)])).toEqual([[101, "active"], [
      102,
      "active",
    ]])
    expect(one!.motion.x).toBeCloseTo(4.9, 0)
    expect(two!.motion.x).toBeCloseTo(1.1, 0)
    expect(one!.existence).toBeGreaterThan(0.9)
  })

  it("never confirms what is seen once, and ends what is gone", () => {
    const tracks = createTracks(ids())
    tracks.step([detection(1, 1)], 0.1)
    expect(tracks.step([], 0.1)).toEqual([])
    for (let hop = 0; hop < 5; hop++) tracks.step([detection(2, 2)], 0.1)
    let hops = 0
    while (tracks.step([], 0.1).length > 0 && hops < 200) hops++
    expect(hops).toBeGreaterThan(15)
    expect(hops).toBeLessThan(100)
  })

  it("gives a person who comes back after the end a new id", () => {
    const tracks = createTracks(ids())
    for (let hop = 0; hop < 5; hop++) tracks.step([detection(2, 2)], 0.1)
    for (let hop = 0; hop < 200; hop++) tracks.step([], 0.1)
    expect(tracks.step([detection(2, 2)], 0.1).map(({ id }) => id)).toEqual([102])
  })

  it("forgets everybody on a reset", () => {
    const tracks = createTracks(ids())
    tracks.step([detection(1, 1)], 0.1)
    tracks.reset()
    expect(tracks.current()).toEqual([])
  })
})
