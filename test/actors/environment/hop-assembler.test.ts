import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { HopAssembler } from "../../../actors/environment/hop-assembler.ts"
import { latenessHopsMax } from "../../../core/observation/observation.ts"
import type { Observation } from "../../../core/observation/observation.ts"

const observation = (routerId: string, hop: number, shedHops: ReadonlyArray<number> = []): Observation => ({
  shedHops,
  routerId,
  hop,
  source: "simulated",
  calibrated: false,
  receiveAntennas: 1,
  amplitudeOnly: false,
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
    const assembler = new HopAssembler(["a", "b"])
    expect(assembler.push(observation("b", 7))).toEqual([])
    expect(shape(assembler.push(observation("a", 7)))).toEqual([[7, "a,b"]])
  })

  it("does not wait for a router that is behind", () => {
    const assembler = new HopAssembler(["a", "b"])
    const closed = Array.from({ length: 12 }, (_, hop) => shape(assembler.push(observation("a", hop)))).flat()
    expect(closed[0]).toEqual([0, "a"])
    expect(closed.length).toBeGreaterThanOrEqual(12 - latenessHopsMax)
  })

  it("ends the hops that wait for a router when nothing comes any more", () => {
    const assembler = new HopAssembler(["a", "b"])
    for (const [router, hop] of [["a", 7], ["b", 7], ["a", 8], ["a", 9]] as const) {
      assembler.push(observation(router, hop))
    }
    expect(shape(assembler.end())).toEqual([[8, "a"], [9, "a"]])
    expect(assembler.end()).toEqual([])
  })

  it("takes a router back after silence, and counts late observations", () => {
    const assembler = new HopAssembler(["a", "b"])
    for (let hop = 0; hop < 20; hop++) assembler.push(observation("a", hop))
    assembler.push(observation("b", 3))
    expect(assembler.dropped).toBe(1)
    assembler.push(observation("b", 20))
    expect(shape(assembler.push(observation("a", 20)))).toEqual([[20, "a"]])
    assembler.push(observation("b", 21))
    expect(shape(assembler.push(observation("a", 21)))).toEqual([[21, "a,b"]])
  })

  it.each([["two hops", [0, 1]], ["one hop", [0]]])(
    "loses nothing of routers that are silent together and come back with %s each time",
    (_, burst) => {
      const assembler = new HopAssembler(["a", "b"])
      const sent = Array.from({ length: 10 }, (_, i) => burst.map((hop) => 20 * i + hop)).flat()
      const hops = sent.flatMap((hop) => ["b", "a"].flatMap((name) => assembler.push(observation(name, hop))))
      expect(shape(hops)).toEqual(sent.map((hop) => [hop, "a,b"]))
      expect(assembler.dropped).toBe(0)
    },
  )

  it("does not wait after a silence for a router that was silent before it, or never heard", () => {
    const assembler = new HopAssembler(["a", "b", "never"])
    for (let hop = 0; hop < 8; hop++) for (const name of ["a", "b"]) assembler.push(observation(name, hop))
    for (let hop = 8; hop < 12; hop++) assembler.push(observation("a", hop))
    for (const hop of [30, 50]) expect(shape(assembler.push(observation("a", hop))).at(-1)).toEqual([hop, "a"])
  })

  it("returns the same hops whatever the order of the routers' observations in a hop", () => {
    fc.assert(
      fc.property(fc.array(fc.shuffledSubarray(["a", "b", "c"]), { maxLength: 30 }), (rounds) => {
        const run = (order: (names: ReadonlyArray<string>) => ReadonlyArray<string>) => {
          const assembler = new HopAssembler(["a", "b", "c"])
          return rounds.flatMap((names, hop) =>
            order(names).flatMap((name) => shape(assembler.push(observation(name, hop))))
          )
        }
        expect(run((names) => names)).toEqual(run((names) => [...names].reverse()))
      }),
    )
  })

  it("returns each hop once, in ascending order, for any input", () => {
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 40 })), { maxLength: 200 }),
      (arrivals) => {
        const assembler = new HopAssembler(["a", "b", "c"])
        const hops = arrivals.flatMap(([name, hop]) => assembler.push(observation(name, hop)).map((each) => each.hop))
        for (let i = 1; i < hops.length; i++) expect(hops[i]).toBeGreaterThan(hops[i - 1]!)
      },
    ))
  })

  it("names each hop that routers left out once, and none that it returns, for any input", () => {
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(45), fc.nat(10)), { maxLength: 200 }),
      (arrivals) => {
        const assembler = new HopAssembler(["a", "b", "c"])
        const hops = arrivals.flatMap(([name, hop, length]) =>
          assembler.push(observation(name, hop, Array.from({ length }, (_, i) => hop - length + i)))
        )
        for (const { hop, shedHops } of hops) for (const shed of shedHops) expect(shed).toBeLessThan(hop)
        const all = hops.flatMap(({ hop, shedHops }) => [...shedHops, hop])
        expect(new Set(all).size).toBe(all.length)
      },
    ))
  })

  it.each([["forward", 5_000, false], ["back", 2_000, true]])(
    "names what routers left out before a jump %s, but what it has returned",
    (_, to, setBack) => {
      const assembler = new HopAssembler(["a"])
      for (let hop = 3_000; hop < 3_010; hop++) assembler.push(observation("a", hop))
      // The first names hops that are returned, too: another router may have reported them.
      const named = setBack ? [to - 2, to - 1] : [3_008, 3_009, 3_010, 3_011]
      const hops = Array.from({ length: 10 }, (_, i) => assembler.push(observation("a", to + i, i === 0 ? named : [])))
      expect(hops.flat().map(({ setBack, shedHops }) => ({ setBack, shedHops }))).toEqual([
        { setBack, shedHops: setBack ? named : [3_010, 3_011] },
        ...Array(9).fill({ setBack: false, shedHops: [] }),
      ])
    },
  )

  it("ignores observations of one router that are far ahead", () => {
    const assembler = new HopAssembler(["a", "b"])
    expect(shape([...assembler.push(observation("a", 1)), ...assembler.push(observation("b", 1))])).toEqual([[
      1,
      "a,b",
    ]])
    for (const hop of [50_000, 50_001]) expect(assembler.push(observation("b", hop))).toEqual([])
    const hops = Array.from({ length: 50 }, (_, i) => i + 2)
      .flatMap((hop) => [...assembler.push(observation("b", hop)), ...assembler.push(observation("a", hop))])
    expect(shape(hops)).toEqual(Array.from({ length: 50 }, (_, i) => [i + 2, "a,b"]))
    expect(assembler.dropped).toBe(2)
  })

  it("ignores the backlog of one router with a wrong clock while the others report", () => {
    const assembler = new HopAssembler(["a", "b"])
    for (const name of ["a", "b"]) assembler.push(observation(name, 1))
    for (let i = 0; i < 40; i++) expect(assembler.push(observation("b", 9_000 + i))).toEqual([])
    assembler.push(observation("b", 2))
    expect(shape(assembler.push(observation("a", 2)))).toEqual([[2, "a,b"]])
  })

  it.each([["forward", 50_000, false], ["back", 1_000, true]])(
    "follows when the time of all routers jumps %s, and loses no hop",
    (_, to, setBack) => {
      const assembler = new HopAssembler(["a", "b"])
      const push = (from: number) =>
        Array.from({ length: 10 }, (_, i) => from + i)
          .flatMap((hop) => ["b", "a"].flatMap((name) => assembler.push(observation(name, hop))))
      expect(push(20_000).map(({ hop }) => hop)).toEqual(Array.from({ length: 10 }, (_, i) => 20_000 + i))
      const after = push(to)
      expect(shape(after)).toEqual(Array.from({ length: 10 }, (_, i) => [to + i, "a,b"]))
      expect(after.map((hop) => hop.setBack)).toEqual(after.map((_, i) => setBack && i === 0))
      expect(assembler.dropped).toBe(0)
    },
  )

  it("continues with the one router that is left, when the others fell silent before its time jumped", () => {
    const assembler = new HopAssembler(["a", "b"])
    for (const name of ["a", "b"]) assembler.push(observation(name, 1))
    const hops = Array.from({ length: 120 }, (_, i) => assembler.push(observation("b", 9_000 + i))).flat()
    expect(hops.at(-1)?.hop).toBe(9_119)
    expect(hops[0]?.hop).toBe(9_000)
  })

  it("takes a repeated observation once", () => {
    const assembler = new HopAssembler(["a", "b"])
    assembler.push(observation("a", 1))
    assembler.push(observation("a", 1))
    expect(shape(assembler.push(observation("b", 1)))).toEqual([[1, "a,b"]])
    expect(assembler.dropped).toBe(1)
  })

  it("recovers: after any input, a steady stream gives hops again", () => {
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.integer({ min: 0, max: 1_000_000 })), { maxLength: 100 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      (arrivals, from) => {
        const assembler = new HopAssembler(["a", "b"])
        for (const [name, hop] of arrivals) assembler.push(observation(name, hop))
        const hops = Array.from({ length: 250 }, (_, i) => from + i)
          .flatMap((hop) => ["a", "b"].flatMap((name) => assembler.push(observation(name, hop))))
        expect(shape(hops).at(-1)).toEqual([from + 249, "a,b"])
      },
    ))
  })
})
