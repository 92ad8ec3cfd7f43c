/** An estimator that continues from the stored memory of another one keeps its tracks, its presence and what the network remembers. */
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { EstimatorMemory } from "../../../actors/environment/estimator-memory.ts"
import type { Estimator } from "../../../actors/environment/estimator.ts"
import type { PoseNetwork, PoseOutputs } from "../../../core/pose/network.ts"
import { memorySize, outputLayout } from "../../../core/pose/network.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { randomNetwork } from "../../core/pose/random-network.ts"
import { compute } from "../../harness/compute.ts"
import { heardOf, roomOf } from "../../harness/heard-room.ts"

const scenario = Effect.runSync(decodeScenario(smallRoom))
const hops = heardOf(scenario, 5_000_000, scenario.emptySeconds + 12)
/** The hop before the move, when persons have walked for some seconds. */
const movesAt = hops.length - 50
const network = randomNetwork(1)

const answers = (persons: number): PoseOutputs => ({
  values: new Float32Array(persons * outputLayout.size),
  memory: new Float32Array(persons * memorySize).fill(0.5),
})

/** Runs hops; returns the frames, and the memories that the network was asked with. */
const run = (estimator: Estimator, from: number, to: number) =>
  hops.slice(from, to).map(({ hop, observations }) => {
    const asked = compute(estimator.observe(hop, observations))
    return { frame: estimator.estimate(asked === null ? null : answers(asked.persons)), asked }
  })

const stored = Schema.fromJsonString(Schema.toCodecJson(EstimatorMemory))
const throughTheStore = (memory: EstimatorMemory): EstimatorMemory =>
  Schema.decodeSync(stored)(Schema.encodeSync(stored)(memory))

const stays = roomOf(scenario, network)
const before = run(stays, 0, movesAt).at(-1)!.frame
const memory = throughTheStore(stays.memory!)
const idsOf = (estimator: Estimator) =>
  estimator.trackRecords.filter(({ status }) => status === "active").map(({ trackId }) => trackId).sort()
const stayed = { after: run(stays, movesAt, hops.length), ids: idsOf(stays) }

const moved = (given: EstimatorMemory | null, by: PoseNetwork | null = network) => {
  const estimator = roomOf(scenario, by, 1_000)
  if (given !== null) estimator.recall(given)
  return { after: run(estimator, movesAt, hops.length), ids: idsOf(estimator) }
}

describe("the memory of an estimator", () => {
  it("is the same after it was stored", () => {
    expect(before.persons.length).toBeGreaterThan(0)
    const again = roomOf(scenario, network)
    again.recall(memory)
    expect(throughTheStore(again.memory!)).toEqual(memory)
  })

  it("continues the tracks, with their records", () => {
    const { after, ids } = moved(memory)
    expect(ids).toEqual(stayed.ids)
    for (const { frame } of after) expect(frame.persons.every(({ id }) => id < 1_000)).toBe(true)
    expect(after[0]!.frame.persons.map(({ id }) => id)).toEqual(before.persons.map(({ id }) => id))
    expect(moved(null).ids.every((id) => id >= 1_000)).toBe(true)
  })

  it("continues presence with the first hop", () => {
    expect(before.presence.present).toBe(true)
    expect(moved(memory).after[0]!.frame.presence.present).toBe(true)
    expect(moved(null).after[0]!.frame.presence.present).not.toBe(true)
  })

  it("is not of use to another network", () => {
    const rememberedBy = (by: PoseNetwork) => moved(memory, by).after[0]!.asked!.memory.some((value) => value !== 0)
    expect(rememberedBy(network)).toBe(true)
    expect(rememberedBy(randomNetwork(2))).toBe(false)
  })

  it("is nothing before the first hop", () => expect(roomOf(scenario, null).memory).toBeNull())
})
