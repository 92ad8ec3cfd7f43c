import { describe, expect, it } from "vitest"
import { isNumbered, StationCounter } from "../../../core/formats/station-counter.ts"

type Packet = readonly [station: string, number: number, trafficClass?: number]

const counted = (packets: ReadonlyArray<Packet>): Array<number> => {
  const counter = new StationCounter()
  return packets.map(([station, number, trafficClass]) => counter.at(station, trafficClass ?? null, number << 4))
}

describe("station counter", () => {
  it("advances with the number of each station", () => {
    expect(counted([["a", 5], ["b", 900], ["a", 6], ["a", 8], ["b", 901], ["b", 904]])).toEqual([1, 2, 3, 5, 6, 9])
  })

  it("unwraps 12 bits and does not advance with a retry", () => {
    expect(counted([["a", 4094], ["a", 4095], ["a", 4095], ["a", 0], ["a", 3]])).toEqual([1, 2, 2, 3, 6])
  })

  it("gives a packet out of order its original position", () => {
    expect(counted([["a", 10], ["a", 13], ["a", 11], ["a", 14]])).toEqual([1, 4, 2, 5])
  })

  it("treats distant numbers as two numberings of one station, not as loss", () => {
    const packets = Array.from({ length: 20 }, (_, i) => ["a", i % 2 === 0 ? 100 + i / 2 : 2000 + (i - 1) / 2] as const)
    expect(counted(packets)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  it("separates traffic classes with close numbers", () => {
    expect(counted([["a", 10, 0], ["a", 13, 7], ["a", 11, 0], ["a", 14, 7], ["a", 12, 0]])).toEqual([1, 2, 3, 4, 5])
  })

  it("forgets the numbering that was longest unused when a station has too many", () => {
    const many = Array.from({ length: 18 }, (_, i) => ["a", 200 * i] as const)
    expect(counted([...many, ["a", 17 * 200 + 3], ["a", 3]]).slice(-2)).toEqual([21, 22])
  })

  it("does not count packets without a number, and stays 0 when there are no others", () => {
    const counter = new StationCounter()
    expect([0, 1, 2].map(() => counter.at("a", null, null))).toEqual([0, 0, 0])
    expect([counter.at("a", null, 16), counter.at("a", null, null), counter.at("a", null, 32)]).toEqual([1, 1, 2])
  })

  it.each([[0x80, true], [0x08, true], [0x88, true], [0x94, false], [0xb4, false], [0x48, false], [0xc8, false]])(
    "knows whether frame control %i has a number: %s",
    (frameControl, numbered) => expect(isNumbered(frameControl)).toBe(numbered),
  )
})
