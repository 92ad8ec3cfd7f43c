/**
 * An environment sheds old hops while newer ones wait and spends less work on the others; a replay and a node without a pace shed nothing.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makePace } from "../../../actors/environment/pace.ts"
import { HopAssembler } from "../../../actors/environment/hop-assembler.ts"
import type { Site } from "../../../actors/environment/site.ts"
import type { Observation } from "../../../core/observation/observation.ts"

const firstHop = 17_000_000_000
const endMsOf = (hop: number) => (firstHop + hop + 1) * 100

/** An observation, by default of the only router. */
interface Arrival {
  readonly hop: number
  readonly delayMs: number
  readonly routerId?: string
  readonly newerWaits?: boolean
  readonly shedHops?: ReadonlyArray<number>
}

const observationOf = ({ hop, routerId = "a", shedHops = [] }: Arrival, source: Observation["source"]): Observation => {
  const observation: Partial<Observation> = {
    routerId,
    hop: firstHop + hop,
    source,
    shedHops: shedHops.map((shed) => firstHop + shed),
  }
  return observation as Observation
}

/** What became of hops 0, 1, ... of which the observations arrive `delayMs` after their end; each takes `costMs`. */
const play = (
  given: { readonly keeps: boolean; readonly source: Observation["source"] },
  arrivals: ReadonlyArray<Arrival>,
  { costMs = 10, falling = 0 } = {},
) =>
  Effect.gen(function* () {
    const pace = makePace(given.keeps)
    const assembler = new HopAssembler([...new Set(arrivals.map(({ routerId = "a" }) => routerId))])
    const estimated: Array<number> = []
    let skimmed = 0
    const samples = [{ activity: { falling } }]
    const site = { estimator: { samples, skim: () => void skimmed++ } } as unknown as Pick<Site, "estimator">
    for (const arrival of arrivals) {
      yield* TestClock.setTime(endMsOf(arrival.hop) + arrival.delayMs)
      for (const hop of assembler.push(observationOf(arrival, given.source))) {
        const estimate = Effect.andThen(
          TestClock.adjust(costMs),
          Effect.sync(() => void estimated.push(hop.hop - firstHop)),
        )
        yield* pace.take(hop, arrival.newerWaits ?? false, estimate, site)
      }
    }
    const last = arrivals.at(-1)!
    const nowMs = endMsOf(last.hop) + last.delayMs
    return { estimated, skimmed, soon: pace.read(nowMs), later: pace.read(nowMs + 60_000) }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

/** Hops on time, then hops that are late. */
const onTime = Array.from({ length: 10 }, (_, hop) => ({ hop, delayMs: 50 }))
/** Hops on time of two routers. */
const ofBoth = onTime.flatMap((arrival) => ["a", "b"].map((routerId) => ({ ...arrival, routerId })))
const late = (newerWaits: boolean, delayMs = 1_500) =>
  Array.from({ length: 10 }, (_, i) => ({ hop: 10 + i, delayMs, newerWaits }))

describe("the pace of an environment", () => {
  it("estimates every hop in time", async () => {
    const { estimated, skimmed, soon } = await play({ keeps: true, source: "live" }, onTime)
    expect([estimated.length, skimmed]).toEqual([10, 0])
    expect(soon).toEqual({ effort: "full", shedHops: 0, routerHops: 0, missedHops: 0, sheds: false })
  })

  it("sheds old hops while newer ones wait", async () => {
    const { later, skimmed, soon } = await play({ keeps: true, source: "live" }, [...onTime, ...late(true)])
    expect(skimmed).toBe(10)
    expect(soon).toEqual({ effort: "full", shedHops: 10, routerHops: 0, missedHops: 0, sheds: true })
    expect(later.sheds).toBe(false)
  })

  it("reduces the effort by levels when the newest hops are a little old", async () => {
    const { skimmed, soon } = await play({ keeps: true, source: "live" }, [...onTime, ...late(false, 950)])
    expect([skimmed, soon.effort, soon.sheds]).toEqual([0, "fewer_spectra", true])
  })

  it("estimates every fourth hop at once when the newest hops are far behind", async () => {
    const { estimated, skimmed, soon } = await play({ keeps: true, source: "live" }, [...onTime, ...late(false)])
    expect([skimmed, soon.effort, soon.sheds]).toEqual([7, "every_fourth_hop", true])
    expect(estimated.slice(10)).toHaveLength(3)
  })

  it("leaves no hop out while somebody may be falling", async () => {
    const hops = [...onTime, ...late(false)]
    const { estimated, soon } = await play({ keeps: true, source: "live" }, hops, { falling: 0.5 })
    expect(soon.effort).toBe("every_fourth_hop")
    expect(estimated).toHaveLength(20)
  })

  it("leaves a source alone that was always a second behind", async () => {
    const always = Array.from({ length: 50 }, (_, hop) => ({ hop, delayMs: 950, newerWaits: true }))
    expect((await play({ keeps: true, source: "live" }, always)).soon.sheds).toBe(false)
  })

  it("counts the hops that a simulation left out", async () => {
    const gaps = [...onTime, { hop: 15, delayMs: 50 }, { hop: 16, delayMs: 50 }]
    expect((await play({ keeps: true, source: "simulated" }, gaps)).soon).toMatchObject({
      effort: "every_fourth_hop",
      missedHops: 5,
      sheds: true,
    })
    expect((await play({ keeps: true, source: "live" }, gaps)).soon).toMatchObject({ missedHops: 0, sheds: false })
  })

  it.each([["live", 0], ["simulated", 2]] as const)(
    "counts the hops that the router of a source left out, and no others as left out by the source: %s",
    async (source, missedHops) => {
      const hops = [...onTime, { hop: 17, delayMs: 50, shedHops: [10, 11, 12, 13, 14] }, { hop: 18, delayMs: 50 }]
      expect((await play({ keeps: true, source }, hops)).soon).toMatchObject({ routerHops: 5, missedHops, sheds: true })
    },
  )

  it("counts a hop that several routers left out once, and not one that another router reported", async () => {
    const { estimated, soon } = await play({ keeps: true, source: "live" }, [
      ...ofBoth,
      { routerId: "b", hop: 13, delayMs: 50, shedHops: [10, 11, 12] },
      { routerId: "a", hop: 16, delayMs: 50, shedHops: [10, 11, 12, 13, 14, 15] },
      { routerId: "b", hop: 14, delayMs: 250 },
      { routerId: "b", hop: 16, delayMs: 50, shedHops: [15] },
    ])
    expect(estimated.slice(10)).toEqual([13, 14, 16])
    expect(soon).toMatchObject({ routerHops: 4 })
  })

  it.each([["live", { routerHops: 5, missedHops: 0 }], ["simulated", { routerHops: 0, missedHops: 5 }]] as const)(
    "counts once what a router names whose observation came too late for its hop: %s",
    async (source, counts) => {
      const { estimated, soon } = await play({ keeps: true, source }, [
        ...ofBoth,
        ...[15, 16, 17, 18].map((hop) => ({ routerId: "b", hop, delayMs: 50 })),
        { routerId: "a", hop: 15, delayMs: 400, shedHops: [10, 11, 12, 13, 14] },
        { routerId: "a", hop: 19, delayMs: 50 },
        { routerId: "b", hop: 19, delayMs: 50 },
      ])
      expect(estimated).toContain(15)
      expect(soon).toMatchObject(counts)
    },
  )

  it.each(
    [
      ["a replay", { keeps: true, source: "replay" }],
      ["a node that does not keep its pace", { keeps: false, source: "live" }],
    ] as const,
  )("sheds nothing of %s", async (_, given) => {
    const { estimated, skimmed, soon } = await play(given, [...onTime, ...late(true), { hop: 40, delayMs: 9_000 }])
    expect([estimated.length, skimmed]).toEqual([21, 0])
    expect(soon).toEqual({ effort: "full", shedHops: 0, routerHops: 0, missedHops: 0, sheds: false })
  })
})
