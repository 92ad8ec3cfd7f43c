/** Everybody has left when all tracks have, and none has ended in the room. */
import { describe, expect, it } from "vitest"
import { departureAfter, hasEveryoneLeft, noDeparture } from "../../../core/tracking/departure.ts"
import type { Leaving } from "../../../core/tracking/leaving.ts"

type HopTracks = Parameters<typeof departureAfter>[1]

const tracks = (...states: ReadonlyArray<Leaving>) => states.map((leaving) => ({ leaving }))
const nobody: HopTracks = { current: [], ended: [], empty: false }

/** Whether everybody has left after these hops. */
const after = (...hops: ReadonlyArray<Partial<HopTracks>>): boolean => {
  const all = hops.map((hop) => ({ ...nobody, ...hop }))
  return hasEveryoneLeft(all.reduce(departureAfter, noDeparture), all.at(-1)!.current)
}

describe("departure", () => {
  it("is of everybody once the last person has left, also after the tracks have ended", () => {
    expect(after({ current: tracks("inside") })).toBe(false)
    expect(after({ current: tracks("left", "at_wall") })).toBe(false)
    expect(after({ current: tracks("left", "at_wall") }, { current: tracks("left") })).toBe(true)
    expect(after({ current: tracks("left") }, { ended: tracks("left") }, {})).toBe(true)
  })

  it("is open after the track of a person has ended in the room, until the room is found empty", () => {
    const vanished = [{ current: tracks("inside", "inside") }, { ended: tracks("inside") }]
    expect(after(...vanished, { current: tracks("left") })).toBe(false)
    expect(after(...vanished, { empty: true }, { current: tracks("left") })).toBe(true)
  })

  it("is over when somebody comes, and when nobody was ever tracked", () => {
    expect(after({ current: tracks("left") }, { current: tracks("left", "inside") })).toBe(false)
    expect(after({})).toBe(false)
  })
})
