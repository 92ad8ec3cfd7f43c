import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hopAssembler, latenessHopsMax } from "../../../actors/environment/hop-assembler.ts"
import type { Observation } from "../../../core/signal/observation.ts"

const observation = (routerId: string, hop: number): Observation => ({
  routerId,
  hop,
  source: "simulated",
  calibrated: false,
  receiveAntennas: 1,
  centerFrequencyHz: 2.437e9,
  tonesHz: new Float32Array(),
  packetRateHz: 100,
  packetLoss: null,
  links: [],
})

const shape = (hops: ReadonlyArray<{ readonly hop: number; readonly observations: ReadonlyArray<Observation> }>) =>
  hops.map(({ hop, observations }) => [hop, observations.map((each) => each.routerId).join()])

describe("hop assembler", () => {
  it("waits for every enrolled router, and puts them in one order", () => {
    const assembler = hopAssembler(["a", "b"])
    expect(assembler.push(observation("b", 7))).toEqual([])
    expect(shape(assembler.push(observation("a", 7)))).toEqual([[7, "a,b"]])
  })

  it("does not wait for a router that stays behind", () => {
    const assembler = hopAssembler(["a", "b"])
    const closed = Array.from({ length: 12 }, (_, hop) => shape(assembler.push(observation("a", hop)))).flat()
    expect(closed[0]).toEqual([0, "a"])
    expect(closed.length).toBeGreaterThanOrEqual(12 - latenessHopsMax)
  })

  it("takes a router back after silence, and counts what came too late", () => {
    const assembler = hopAssembler(["a", "b"])
    for (let hop = 0; hop < 20; hop++) assembler.push(observation("a", hop))
    assembler.push(observation("b", 3))
    expect(assembler.leftOut()).toBe(1)
    assembler.push(observation("b", 20))
    expect(shape(assembler.push(observation("a", 20)))).toEqual([[20, "a"]])
    assembler.push(observation("b", 21))
    expect(shape(assembler.push(observation("a", 21)))).toEqual([[21, "a,b"]])
  })

  it("gives the same hops in whatever order the routers' observations of a hop come", () => {
    fc.assert(
      fc.property(fc.array(fc.shuffledSubarray(["a", "b", "c"], { minLength: 1 }), { maxLength: 30 }), (rounds) => {
        const run = (order: (names: ReadonlyArray<string>) => ReadonlyArray<string>) => {
          const assembler = hopAssembler(["a", "b", "c"])
          return rounds.flatMap((names, hop) =>
            order(names).flatMap((name) => shape(assembler.push(observation(name, hop))))
          )
        }
        expect(run((names) => names)).toEqual(run((names) => [...names].reverse()))
      }),
    )
  })

  it("gives each hop once, in ascending order, whatever comes", () => {
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 40 })), { maxLength: 200 }),
      (arrivals) => {
        const assembler = hopAssembler(["a", "b", "c"])
        const hops = arrivals.flatMap(([name, hop]) => assembler.push(observation(name, hop)).map((each) => each.hop))
        for (let i = 1; i < hops.length; i++) expect(hops[i]).toBeGreaterThan(hops[i - 1]!)
      },
    ))
  })
})
